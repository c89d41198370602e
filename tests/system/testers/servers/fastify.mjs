import fastify from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import { createPlant, document, errorBody, isKnown, port } from './plants.mjs';

const app = fastify();
app.setErrorHandler((error, _request, reply) => {
  const status = error.statusCode ?? 500;
  return reply.code(status).send(errorBody(status, error.message));
});
app.setNotFoundHandler((_request, reply) => reply.code(404).send(errorBody(404, 'not found')));
app.register(openapiGlue, {
  specification: document,
  serviceHandlers: {
    async createPlant(request, reply) {
      const [status, body] = createPlant(request.body);
      return reply.code(status).send(body);
    },
  },
  securityHandlers: {
    async bearerAuth({ headers }) {
      if (!isKnown(/^Bearer +(.+)$/i.exec(headers.authorization)?.[1])) throw new Error('no valid token');
    },
  },
});
await app.listen({ port, host: '127.0.0.1' });
