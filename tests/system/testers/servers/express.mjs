import express from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { createPlant, document, errorBody, isKnown, port } from './plants.mjs';

const app = express();
app.use(express.json());
app.use(
  OpenApiValidator.middleware({
    apiSpec: document,
    validateRequests: true,
    validateResponses: true,
    validateSecurity: {
      handlers: {
        bearerAuth: (request) => isKnown(/^Bearer +(.+)$/i.exec(request.headers.authorization)?.[1]),
      },
    },
  }),
);
app.post('/plants', (request, response) => {
  const [status, body] = createPlant(request.body);
  response.status(status).json(body);
});
app.use((error, _request, response, next) => {
  if (response.headersSent) return next(error);
  const status = error.status ?? 500;
  response
    .status(status)
    .set(error.headers ?? {})
    .json(errorBody(status, error.message));
});
app.listen(port, '127.0.0.1');
