import express from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import passport from 'passport';
import { Strategy as BearerStrategy } from 'passport-http-bearer';
import { accepts, answerError, BODY_LIMIT, createPlant, readDocument } from './work.mjs';

// Wired as the READMEs of express-openapi-validator and passport-http-bearer say.

const document = readDocument();
passport.use(new BearerStrategy((token, done) => done(null, accepts(token) && { name: 'client' })));

const app = express();
app.use(express.json({ limit: BODY_LIMIT }));
app.use(OpenApiValidator.middleware({ apiSpec: document, validateRequests: true, validateResponses: true }));
for (const path of Object.keys(document.paths)) {
  app.post(path, passport.authenticate('bearer', { session: false }), (request, response) => {
    response.json(createPlant(request.body));
  });
}
app.use(answerError);
app.listen(0, '127.0.0.1');
