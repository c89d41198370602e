import express from 'express';
import { OpenAPIBackend } from 'openapi-backend';
import { answerError, BODY_LIMIT, document, errorBody, handlersOf, isAuthorized } from './work.mjs';

// Requests are validated, responses are not unless one writes it.

const refuse = (status, message) => (_context, _request, response) =>
  response.status(status).json(errorBody(status, message));

const api = new OpenAPIBackend({
  definition: document,
  quick: true, // else it judges this OpenAPI 3.1 document by the rules of 3.0, and does not start
  handlers: {
    ...handlersOf((work) => ({ request: { query, requestBody } }, _request, response) => {
      response.status(200).json(work(query, requestBody));
    }),
    validationFail: refuse(400, 'does not match the document'),
    unauthorizedHandler: refuse(401, 'no valid token'),
    notFound: refuse(404, 'no such path'),
  },
  securityHandlers: { bearerAuth: (_context, { headers }) => isAuthorized(headers) },
});
await api.init();

const app = express();
app.use(express.json({ limit: BODY_LIMIT }));
app.use((request, response) => api.handleRequest(request, request, response));
app.use(answerError);
app.listen(0, '127.0.0.1');
