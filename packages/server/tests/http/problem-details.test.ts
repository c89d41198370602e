import { type Answer, type Problem } from 'contract-first-server';
import { stringifyJson } from 'contract-first-server/tools';
import { ERRORS, type KindOf } from 'contract-first-server/runtime';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { exchange } from '../../../../scripts/testing/wire';

// Errors of RFC 9457, with another media type and another shape.

const contentType = 'application/problem+json';
const render = (problem: Problem<KindOf<never>>): Answer => {
  const { status } = ERRORS[problem.kind];
  const errors = problem.violations.map(({ pointer, keyword, message }) => ({
    // A pointer of RFC 9457 is into the body. Other places have names.
    ...(pointer.startsWith('/body') ? { pointer: `#${pointer.slice(5)}` } : { parameter: pointer.slice(1) }),
    keyword,
    detail: message,
  }));
  return {
    status,
    contentType,
    // A schema with the format int64 has a bigint here.
    body: { title: problem.message, status: BigInt(status), ...(errors.length > 0 && { errors }) },
  };
};
const schema = {
  type: 'object',
  required: ['title', 'status'],
  properties: { title: { type: 'string' }, status: {}, errors: { type: 'array' } },
};
const operation = { responses: { 400: { description: 'no', content: { [contentType]: { schema } } } } };

it.each([
  ['that the document has', 'POST /things?color=green HTTP/1.1\r\nHost: x', 400],
  ['for no operation', 'POST /none HTTP/1.1\r\nHost: x', 404],
  ['that the operation does not have', 'POST /things HTTP/1.1\r\nHost: x', 500],
  ['of Node', 'hello', 400],
])('a refusal %s has the media type of errors', async (_, text, status) => {
  const { app } = buildService({
    document: buildDocument({ operation }),
    handlers: { postThing: () => Promise.reject(new Error('not asked')) },
    render,
  });
  const [reply] = await listening(app, (port) => exchange(port, `${text}\r\n\r\n`), {}, render);
  expect(reply).toMatchObject({ status, headers: { 'content-type': contentType } });
  expect(JSON.parse(reply?.body ?? '')).toMatchObject({ status });
});

/** The errors in the refusal of a request with this query and body. */
async function errorsOf(query: string, body: unknown): Promise<unknown> {
  const schemas = {
    name: { type: 'string', maxLength: 3 },
    color: { enum: ['constant', 'green'] },
    id: { type: 'integer', format: 'int64', maximum: 9007199254740993n },
    parts: { type: 'array', uniqueItems: true, items: { type: 'object', required: ['size'] } },
    made: { type: 'string', readOnly: true },
    'a/b': { const: 1 },
  };
  const { app } = buildService({
    document: buildDocument({
      operation: {
        ...operation,
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1 } },
          { name: 'sort', in: 'query', schema: { type: 'string' } },
        ],
        requestBody: {
          content: json({ type: 'object', properties: schemas, additionalProperties: false }),
        },
      },
    }),
    handlers: { postThing: () => Promise.resolve({ status: 400 }) },
    render,
  });
  const text = stringifyJson(body);
  const head = `POST /things?${query} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json`;
  const [reply] = await listening(app, (port) =>
    exchange(port, `${head}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`),
  );
  return (JSON.parse(reply?.body ?? '') as { errors: unknown }).errors;
}

const at = (pointer: string, keyword: string) => ({
  pointer,
  keyword,
  detail: expect.any(String) as string,
});
const of = (parameter: string, keyword: string) => ({
  parameter,
  keyword,
  detail: expect.any(String) as string,
});

it.each<[title: string, query: string, body: object, errors: object[]]>([
  ['one', '', { name: 1 }, [at('#/name', 'type')]],
  ['several', '', { name: 'abcd', color: 'red' }, [at('#/name', 'maxLength'), at('#/color', 'enum')]],
  ['a constant', '', { 'a/b': 2 }, [at('#/a~1b', 'const')]],
  ['an exact bound', '', { id: 9007199254740994n }, [at('#/id', 'maximum')]],
  ['a format', '', { id: 2n ** 63n }, [at('#/id', 'format')]],
  ['items', '', { parts: [{}, {}] }, [at('#/parts', 'uniqueItems'), at('#/parts/0', 'required')]],
  ['an unknown property', '', { 'x/y': 1 }, [at('#/x~1y', 'additionalProperties')]],
  ['a readOnly property', '', { made: 'a' }, [at('#/made', 'readOnly')]],
  ['a parameter', 'limit=0', {}, [of('query/limit', 'minimum')]],
  ['a parameter that is given twice', 'sort=a&sort=b', {}, [of('query/sort', 'style')]],
  ['an unknown parameter', 'x%2Fy=1', {}, [of('query/x~1y', 'style')]],
])('the errors of RFC 9457 list each violation: %s', async (_, query, body, errors) => {
  const listed = (await errorsOf(query, body)) as unknown[];
  expect(listed).toEqual(expect.arrayContaining(errors));
});

it('lists at most ten violations, and their number', async () => {
  const parts = Array.from({ length: 12 }, (_, i) => ({ i }));
  expect(await errorsOf('', { parts })).toHaveLength(10);
});
