import { STATUS_CODES } from 'node:http';
import { compileContract } from 'contract-first-server/tools';
import { Problem } from 'contract-first-server';
import { cases } from '../../../../scripts/testing/cases';
import { renderPlain } from '../../../../scripts/testing/plain-errors';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { exchangeBytes } from '../../../../scripts/testing/wire';

const CONTENTLESS = [204, 205, 304];
/** All, or those beside the ones without content, the ends of each class, and some between. */
const STATUSES = Array.from({ length: 400 }, (_, i) => 200 + i).filter(
  (status) =>
    status % cases(7, 1) === 0 ||
    [0, 99].includes(status % 100) ||
    CONTENTLESS.some((one) => Math.abs(one - status) < 2),
);

const described = { description: '', content: json({ type: 'string' }) };
const bodiless = { description: '' };
const each = (response: object) => Object.fromEntries(STATUSES.map((status) => [String(status), response]));
/** The ways to document a status. */
const RESPONSES = {
  content: each(described),
  none: each(bodiless),
  range: Object.fromEntries(['2XX', '3XX', '4XX', '5XX'].map((range) => [range, described])),
  default: { default: described },
};
type Way = keyof typeof RESPONSES;
const ways = Object.keys(RESPONSES) as Way[];

const parameters = [
  { name: 'status', in: 'query', required: true, schema: { type: 'integer' } },
  { name: 'body', in: 'query', schema: { type: 'string' } },
];
const pathItem = (way: Way) => ({ get: { operationId: way, parameters, responses: RESPONSES[way] } });
const DOCUMENT = buildDocument({ paths: Object.fromEntries(ways.map((way) => [`/${way}`, pathItem(way)])) });
const answer = ({ query: { status, body } }: { query: { status: number; body?: string } }) =>
  Promise.resolve(body === undefined ? { status } : { status, body });

const handlersOf = (handler: typeof answer) => Object.fromEntries(ways.map((way) => [way, handler]));
const { app } = buildService({
  document: DOCUMENT,
  handlers: handlersOf(answer),
  render: (problem, operation) => {
    const { status } = renderPlain(problem);
    return operation?.operationId === 'none' ? { status } : { status, body: 'an error' };
  },
});

const request = (method: string, target: string, close = '') =>
  `${method} ${target} HTTP/1.1\r\nHost: x\r\n${close}\r\n`;

/** All bytes of the responses to requests on one connection. */
async function ask(port: number, method: string, targets: readonly string[]) {
  const requests = targets.map((target) => request(method, target)).join('');
  const bytes = await exchangeBytes(port, requests + request('GET', '/end', 'Connection: close\r\n'));
  const responses = bytes.toString('latin1').split(/(?=HTTP\/1\.1 \d)/);
  expect(responses.length).toBe(targets.length + 1);
  return responses.slice(0, -1).map((text) => {
    const head = text.slice(0, text.indexOf('\r\n\r\n')).toLowerCase();
    return {
      status: Number(head.slice(9, 12)),
      type: /\r\ncontent-type: (.*)/.exec(head)?.[1],
      length: /\r\ncontent-length: (.*)/.exec(head)?.[1],
      framing: /\r\ntransfer-encoding: (.*)/.exec(head)?.[1],
      body: text.slice(head.length + 4),
    };
  });
}

function expected(way: Way, status: number, body: string | undefined, method: string) {
  const isContentless = CONTENTLESS.includes(status);
  const ok = isContentless ? way !== 'none' || body === undefined : (way === 'none') === (body === undefined);
  if (!ok) return { status: 500 };
  if (isContentless) return { status, type: undefined, length: status === 205 ? '0' : undefined, body: '' };
  if (body === undefined) return { status, type: undefined, length: '0', body: '' };
  return { status, type: 'application/json', length: '3', body: method === 'HEAD' ? '' : `"${body}"` };
}

describe.each(ways)('documented by %s', (way) => {
  test.each([
    ['GET', 'a'],
    ['GET', undefined],
    ['HEAD', 'a'],
    ['HEAD', undefined],
  ])('%s with the body %s: all statuses', async (method, body) => {
    const query = body === undefined ? '' : `&body=${body}`;
    const targets = STATUSES.map((status) => `/${way}?status=${status}${query}`);
    const replies = await listening(app, (port) => ask(port, method, targets));
    for (const [i, status] of STATUSES.entries())
      expect([status, replies[i]]).toMatchObject([
        status,
        { framing: undefined, ...expected(way, status, body, method) },
      ]);
  });
});

test('content of these statuses is a remark, at its place', () => {
  const { remarks } = compileContract(DOCUMENT, undefined);
  expect(remarks.map(({ pointer }) => pointer)).toEqual(
    CONTENTLESS.map((status) => `/paths/~1content/get/responses/${status}/content`),
  );
  expect(remarks[0]?.message).toBe(
    'is not enforced: responses with the status 204 have no content (RFC 9110 section 15)',
  );
});

test.each(CONTENTLESS)('a refusal with the status %s has no content either', async (status) => {
  const refusing = buildService({
    document: buildDocument({ paths: { '/content': pathItem('content') } }),
    handlers: { content: () => Promise.reject(new Problem('forbidden', 'no')) },
    render: () => ({ status, body: { message: STATUS_CODES[status] } }),
  });
  const replies = await listening(refusing.app, (port) =>
    ask(port, 'GET', ['/content?status=200', '/nowhere']),
  );
  for (const reply of replies) expect(reply).toMatchObject(expected('content', status, 'a', 'GET'));
});
