import document from '../../generated/openapi.json';
import type { paths } from '../../generated/openapi';
import { EXAMPLE } from '../support/client';
import { createTypedClient } from '../support/typed-client';
import { startProgram } from '../support/program';
import { buildDocument, buildService, json, listening } from '../support/service';

it('creates plants on the real server with the generated types', async () => {
  const program = await startProgram({ API_TOKENS: 'token' });
  try {
    const client = createTypedClient<paths>(program.url, document, {
      ...EXAMPLE.headers,
      Authorization: 'Bearer token',
    });
    const monstera = { id: 2n ** 63n - 1n, name: 'Monstera', tag: 'tropical' };
    const created = await client.POST('/plants', { body: monstera });
    expect(created.data).toEqual({ name: 'Monstera', tag: 'tropical' });

    const taken = await client.POST('/plants', { body: { ...monstera, name: 'Ficus' } });
    expect(taken.response.status).toBe(400);
    expect(taken.error).toEqual({
      error: 40002,
      message: 'body/id 9223372036854775807 already names another plant',
    });

    const stranger = createTypedClient<paths>(program.url, document);
    const { data, error } = await stranger.POST('/plants', { body: monstera });
    expect(data).toBeUndefined();
    expect(error?.error).toBe(40100);
  } finally {
    await program.stop();
  }
});

it('reads every int64 exactly as a bigint, and no other number', async () => {
  const schema = {
    type: 'object',
    properties: {
      id: { type: 'integer', format: 'int64' },
      ids: { type: 'array', items: { type: 'integer', format: 'int64' } },
      count: { type: 'integer' },
    },
  };
  interface Paths {
    '/things': { post: { responses: { 200: { content: { 'application/json': object } } } } };
  }
  const body = { id: 2n ** 53n + 1n, ids: [1n, -(2n ** 63n)], count: 3 };
  const things = buildDocument({
    operation: { responses: { 200: { description: '', content: json(schema) } } },
  });
  const { app } = buildService({
    document: things,
    handlers: { postThing: () => Promise.resolve({ status: 200, body }) },
  });
  await listening(app, async (port) => {
    const client = createTypedClient<Paths>(`http://127.0.0.1:${port}`, things);
    expect((await client.POST('/things')).data).toEqual(body);
  });
});
