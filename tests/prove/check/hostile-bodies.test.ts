import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { run } from '../../../scripts/prove/run';
import { urlTarget } from '../../../scripts/prove/url-target';

const schema = { type: ['array', 'string'], items: { type: 'integer', minimum: 2 } };
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Large', version: '1' },
  paths: {
    '/large': {
      get: {
        operationId: 'getLarge',
        responses: { 200: { description: 'large', content: { 'application/json': { schema } } } },
      },
    },
  },
};

/** Bytes. */
const LARGE = 1_500_000;
const LARGEST = 9_900_000;
const repeated = (text: string, before = '', after = '', size = LARGE): string =>
  `${before}${text.repeat((size - before.length - after.length) / text.length)}${after}`;

/** Large bodies, and what is said of each. */
const BODIES: readonly (readonly [name: string, body: string, expected: RegExp | undefined])[] = [
  ['a long string', repeated('x', '"', '"', LARGEST), undefined],
  ['a long string of escapes', repeated('\\u0041', '"', '"'), undefined],
  ['line ends', repeated('\n', '', '', LARGEST), /^expected JSON in UTF-8, got/],
  ['spaces', repeated(' ', '\n', '', LARGEST), /^expected JSON in UTF-8, got/],
  ['open arrays', repeated('['), /^expected JSON in UTF-8, got/],
  ['nested arrays', `${'['.repeat(LARGE / 2)}${']'.repeat(LARGE / 2)}`, /too large or too deep to judge/],
  ['many wrong numbers', repeated('1,', '[', '1]'), /#\/0 1 is less than 2/],
  ['many wrong strings', repeated('"",', '[', '""]'), /^expected a body that fits/],
  ['one long number', repeated('9'), /^expected a body that fits/],
  ['a large exponent', '1e999999999', /^expected a body that fits/],
  ['bytes that are not UTF-8', repeated('\u0080'), /^expected JSON in UTF-8, got/],
];

test.each(BODIES)(
  'a body of %s is judged, in a sentence of the engine',
  async (_, body, expected) => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(Buffer.from(body, 'latin1'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = { url, document: DOCUMENT, maxRequests: 1, timeout: 60_000 };
    const { failures } = await run(urlTarget(options), { generated: 0, shrink: false });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));

    const problems = failures.flatMap((failure) => failure.problems);
    if (expected) expect(problems[0]).toMatch(expected);
    else expect(problems).toEqual([]);
    for (const problem of problems) expect(problem).not.toMatch(/(?:Syntax|Range|Type)Error/);
  },
  60_000,
);
