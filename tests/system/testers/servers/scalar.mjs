import { serve } from '@hono/node-server';
import { createMockServer } from '@scalar/mock-server';
import { readFileSync } from 'node:fs';

// The mock server of Scalar on the document that Scalar publishes as its example.
const document = JSON.parse(readFileSync(new URL(import.meta.resolve('@scalar/galaxy/3.1.json')), 'utf8'));
const app = await createMockServer({ document });
serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' });
