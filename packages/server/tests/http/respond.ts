import request from 'supertest';
import type { Answer } from 'contract-first-server';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';

export const thing = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, size: { type: 'integer', format: 'int64' } },
};

/** The response to a client and the log entry for a result of the handler. */
export async function respond(responses: object, answer: unknown, components: object = {}) {
  const document = buildDocument({ operation: { responses }, components });
  const handlers = { postThing: () => Promise.resolve(answer as Answer) };
  const { app, outcomes } = buildService({ document, handlers });
  const { status, text, headers } = await request(app).post('/things');
  const cause = outcomes[0]?.problem?.cause;
  return {
    status,
    text,
    headers: headers as Record<string, string>,
    log: cause instanceof Error ? cause.message : cause,
  };
}

export const ok = (schema: unknown, more: object = {}) => ({
  200: { description: 'ok', content: json(schema), ...more },
});
/** The response for a result that must not be sent. */
export const hidden = {
  status: 500,
  text: '{"error":50000,"message":"the server failed to answer this request"}',
};
