import type { Answer, Problem } from '../../src/contract';
import { renderProblem } from '../../src/errors';
import { buildDocument, buildService, listening } from '../support/service';
import { exchange } from '../support/wire';

// Errors as RFC 9457 has them: another media type, another shape.

const contentType = 'application/problem+json';
const render = (problem: Problem): Answer => {
  const { status } = renderProblem(problem);
  return { status, contentType, body: { title: problem.message, status } };
};
const schema = {
  type: 'object',
  required: ['title', 'status'],
  properties: { title: { type: 'string' }, status: {} },
};
const operation = { responses: { 400: { description: 'no', content: { [contentType]: { schema } } } } };

it.each([
  ['that the document has', 'POST /things?color=green HTTP/1.1\r\nHost: x', 400],
  ['for no operation', 'POST /none HTTP/1.1\r\nHost: x', 404],
  ['that the operation does not have', 'POST /things HTTP/1.1\r\nHost: x', 500],
  ['of Node', 'hello', 400],
])('a refusal %s is of the media type that was chosen for errors', async (_, text, status) => {
  const { app } = buildService({
    document: buildDocument({ operation }),
    handlers: { postThing: () => Promise.reject(new Error('not asked')) },
    render,
  });
  const [reply] = await listening(app, (port) => exchange(port, `${text}\r\n\r\n`), {}, render);
  expect(reply).toMatchObject({ status, headers: { 'content-type': contentType } });
  expect(JSON.parse(reply?.body ?? '')).toMatchObject({ status });
});
