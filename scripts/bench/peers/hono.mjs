import { serve } from '@hono/node-server';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { bearerAuth } from 'hono/bearer-auth';
import { accepts, BODY_LIMIT, createPlant, errorBody } from './work.mjs';

// Code first: the schemas are written in zod, and the document would come from them. Responses are not validated.

const Plant = z.object({ name: z.string(), tag: z.string().optional() }).openapi('Plant');
const NewPlant = Plant.extend({ id: z.int() }).openapi('NewPlant');
const PlantError = z.object({ error: z.int32(), message: z.string() }).openapi('Error');
const json = (schema) => ({ 'application/json': { schema } });

const app = new OpenAPIHono({
  defaultHook: (result, c) => (result.success ? undefined : c.json(errorBody(400, 'not a plant'), 400)),
});
app.use('/plants', bearerAuth({ verifyToken: accepts }));
// Hono's own bodyLimit turns every body into a web stream first, which costs several times the whole rest.
app.use('/plants', (c, next) => {
  const length = Number(c.req.header('Content-Length') ?? Infinity);
  return length > BODY_LIMIT ? c.json(errorBody(413, 'too large'), 413) : next();
});
app.openapi(
  createRoute({
    method: 'post',
    path: '/plants',
    request: { body: { content: json(NewPlant), required: true } },
    responses: {
      200: { content: json(Plant), description: 'plant response' },
      400: { content: json(PlantError), description: 'unexpected error' },
    },
  }),
  (c) => c.json(createPlant(c.req.valid('json')), 200),
);
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
