import express from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import passport from 'passport';
import { Strategy as BearerStrategy } from 'passport-http-bearer';
import { accepts, answerError, BODY_LIMIT, document, operations } from './work.mjs';

// Wired as the READMEs of express-openapi-validator and passport-http-bearer say.

passport.use(new BearerStrategy((token, done) => done(null, accepts(token) && { name: 'client' })));

const app = express();
app.use(express.json({ limit: BODY_LIMIT }));
app.use(OpenApiValidator.middleware({ apiSpec: document, validateRequests: true, validateResponses: true }));
for (const [path, method, , work] of operations)
  app[method](path, passport.authenticate('bearer', { session: false }), (request, response) => {
    response.json(work(request.query, request.body));
  });
app.use(answerError);
app.listen(0, '127.0.0.1');
