import fastify from 'fastify';

// The example that comes with fastify-openapi-glue, as its `npm start` runs it. The package does not export it.
const { default: petstore, options } = await import(
  new URL('../node_modules/fastify-openapi-glue/examples/petstore/index.js', import.meta.url)
);
const app = fastify(options);
app.register(petstore);
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
