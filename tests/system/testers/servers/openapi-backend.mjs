import express from 'express';
import { OpenAPIBackend } from 'openapi-backend';
import { createPlant, document, errorBody, isKnown, port } from './plants.mjs';

const refuse = (status, message) => (_context, _request, response) =>
  response.status(status).json(errorBody(status, message));

const api = new OpenAPIBackend({
  definition: document,
  quick: true, // else it judges this OpenAPI 3.1 document by the rules of 3.0, and does not start
  handlers: {
    createPlant(context, _request, response) {
      const [status, body] = createPlant(context.request.requestBody);
      response.status(status).json(body);
    },
    validationFail: (context, _request, response) =>
      response.status(400).json(errorBody(400, context.validation.errors?.[0]?.message ?? 'invalid')),
    unauthorizedHandler: refuse(401, 'no valid token'),
    notFound: refuse(404, 'not found'),
    methodNotAllowed: refuse(405, 'method not allowed'),
  },
});
api.registerSecurityHandler('bearerAuth', (context) =>
  isKnown(/^Bearer +(.+)$/i.exec(context.request.headers.authorization)?.[1]),
);
await api.init();

const app = express();
app.use(express.json());
app.use((request, response) => api.handleRequest(request, request, response));
app.use((error, _request, response, next) => {
  if (response.headersSent) return next(error);
  const status = error.status ?? 500;
  response.status(status).json(errorBody(status, error.message));
});
app.listen(port, '127.0.0.1');
