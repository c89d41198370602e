import { serve } from '@hono/node-server';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { bearerAuth } from 'hono/bearer-auth';
import { HTTPException } from 'hono/http-exception';
import { createPlant, errorBody, isKnown, port } from './plants.mjs';

// Code first: the schemas are written in zod, as the document has them.
const Plant = z.object({ name: z.string(), tag: z.string().optional() }).openapi('Plant');
const NewPlant = Plant.extend({ id: z.int() }).openapi('NewPlant');
const PlantError = z.object({ error: z.int32(), message: z.string() }).openapi('Error');
const json = (schema) => ({ 'application/json': { schema } });

const app = new OpenAPIHono({
  defaultHook: (result, c) => (result.success ? undefined : c.json(errorBody(400, 'not a plant'), 400)),
});
app.onError((error, c) => {
  if (!(error instanceof HTTPException)) return c.json(errorBody(500, 'failed'), 500);
  const headers = error.getResponse().headers.get('WWW-Authenticate');
  return c.json(
    errorBody(error.status, error.message),
    error.status,
    headers ? { 'WWW-Authenticate': headers } : {},
  );
});
app.notFound((c) => c.json(errorBody(404, 'not found'), 404));
app.use('/plants', bearerAuth({ verifyToken: isKnown }));
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
  (c) => {
    const [status, body] = createPlant(c.req.valid('json'));
    return c.json(body, status);
  },
);
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' });
