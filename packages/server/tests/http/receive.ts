import request from 'supertest';
import { stringifyJson } from 'contract-first-server/tools';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';

/** What a handler is given. */
type Given = Readonly<Record<string, unknown>>;

/** Sends a request to an operation. Returns the status, the body of the answer, and what the handler was given, if it ran. */
export async function ask(
  operation: object,
  change: (client: request.Test) => request.Test = (client) => client,
  components: object = {},
) {
  let given: Given | undefined;
  const postThing = (of: Given) => {
    given = of;
    return Promise.resolve({ status: 204 });
  };
  const document = buildDocument({ operation, components });
  const { app } = buildService({ document, handlers: { postThing } });
  const response = await change(request(app).post('/things'));
  return { status: response.status, body: response.body as { readonly message?: string }, given };
}

/** Sends a body of JSON, as a value or as text. */
export const send = (schema: unknown, sent: unknown, schemas: object = {}) =>
  ask(
    { requestBody: { required: true, content: json(schema) } },
    (client) =>
      client
        .set('Content-Type', 'application/json')
        .serialize((text: unknown) => text as string)
        .send(typeof sent === 'string' ? sent : JSON.stringify(sent)),
    { schemas },
  );

/** Sends a body as JSON text. Returns the handler's body as JSON text, or the message of the refusal. */
export async function receive(schema: unknown, body: string, schemas: object = {}): Promise<string> {
  const { given, body: refusal } = await send(schema, body, schemas);
  return given ? stringifyJson(given['body']) : (refusal.message ?? '');
}
