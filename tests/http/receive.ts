import request from 'supertest';
import { stringifyJson } from '../../src/contract';
import { buildDocument, buildService, json } from '../support/service';

/** Sends a body as JSON text. Returns the handler's body as JSON text, or the message of the refusal. */
export async function receive(schema: unknown, body: string, schemas: object = {}): Promise<string> {
  const document = buildDocument({
    operation: { requestBody: { required: true, content: json(schema) } },
    components: { schemas },
  });
  let received = '';
  const postThing = (given: unknown) => {
    received = stringifyJson((given as { body: unknown }).body);
    return Promise.resolve({ status: 204 });
  };
  const { app } = buildService({ document, handlers: { postThing } });
  const response = await request(app)
    .post('/things')
    .set('Content-Type', 'application/json')
    .serialize((sent: unknown) => sent as string)
    .send(body);
  return response.status === 204 ? received : (response.body as { message: string }).message;
}
