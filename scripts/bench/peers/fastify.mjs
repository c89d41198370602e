import fastify from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import { BODY_LIMIT, document, errorBody, handlersOf, isAuthorized } from './work.mjs';

// Responses are written by their schema, which leaves out what it does not list; they are judged if so asked.

const app = fastify({
  bodyLimit: BODY_LIMIT,
  ajv: { customOptions: { coerceTypes: false } }, // else "42" is an integer
});
app.setErrorHandler((error, _request, reply) => {
  const status = error.statusCode ?? 500;
  return reply.code(status).send(errorBody(status, error.message));
});
if (process.env.BENCH_RESPONSES === 'judged')
  app.register((await import('@fastify/response-validation')).default, {
    ajv: { plugins: [(await import('ajv-formats')).default.default], strict: false },
  });
app.register(openapiGlue, {
  specification: document,
  serviceHandlers: handlersOf(
    (work) =>
      async ({ query, body }) =>
        work(query, body),
  ),
  securityHandlers: {
    async bearerAuth({ headers }) {
      if (!isAuthorized(headers)) throw new Error('no valid token');
    },
  },
});
await app.listen({ port: 0, host: '127.0.0.1' });
