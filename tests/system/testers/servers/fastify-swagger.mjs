import swagger from '@fastify/swagger';
import fastify from 'fastify';

// Code first: the usage example of the README of @fastify/swagger, with a handler that answers by its schema.
const app = fastify();
await app.register(swagger, {
  openapi: {
    openapi: '3.0.0',
    info: { title: 'Test swagger', version: '0.1.0' },
    components: { securitySchemes: { apiKey: { type: 'apiKey', name: 'apiKey', in: 'header' } } },
  },
});
app.put(
  '/some-route/:id',
  {
    schema: {
      security: [{ apiKey: [] }],
      params: { type: 'object', properties: { id: { type: 'string', description: 'user id' } } },
      body: {
        type: 'object',
        properties: {
          hello: { type: 'string' },
          obj: { type: 'object', properties: { some: { type: 'string' } } },
        },
      },
      response: {
        201: { description: 'created', type: 'object', properties: { hello: { type: 'string' } } },
        default: { description: 'any other', type: 'object', properties: { foo: { type: 'string' } } },
      },
    },
    preHandler: async (request, reply) => {
      if (request.headers.apikey !== process.env.TOKEN) return reply.code(401).send({ foo: 'no valid key' });
    },
  },
  (request, reply) => reply.code(201).send({ hello: request.body.hello ?? 'world' }),
);
app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
