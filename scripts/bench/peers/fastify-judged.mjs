// As fastify.mjs, with the plugin of fastify that judges responses before they are written.
process.env.BENCH_RESPONSES = 'judged';
await import('./fastify.mjs');
