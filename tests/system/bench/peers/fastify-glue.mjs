import fastify from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import { accepts, BODY_LIMIT, createPlant, errorBody, forEachOperation, readDocument } from './work.mjs';

// Responses are not validated but serialised by their schema, which leaves out what it does not list.

const document = readDocument();
const app = fastify({
  bodyLimit: BODY_LIMIT,
  ajv: { customOptions: { coerceTypes: false } }, // else "42" is an integer
});
app.setErrorHandler((error, _request, reply) => {
  const status = error.statusCode ?? 500;
  return reply.code(status).send(errorBody(status, error.message));
});
app.register(openapiGlue, {
  specification: document,
  serviceHandlers: forEachOperation(document, async (request) => createPlant(request.body)),
  securityHandlers: {
    async bearerAuth(request) {
      const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
      if (token === undefined || !accepts(token)) throw new Error('no valid token');
    },
  },
});
await app.listen({ port: 0, host: '127.0.0.1' });
