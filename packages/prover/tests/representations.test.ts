import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describeFailure } from '../src/report/terminal';
import { run } from '../src/run';
import { urlTarget } from '../src/url-target';
import type { Target } from 'contract-first-prover';
import { type Change, DOCUMENT, FIRST, media, tagOf } from './support/media';
import { FAULTS, ignoring } from './support/media-faults';
import { routed, targetOf } from './support/simple-server';
import { everyOf } from '../../../scripts/testing/cases';

const OPTIONS = { generated: 2, shrink: false };

test('streams and files of a correct server are proven', async () => {
  const { failures, obligations, passed } = await run(media(), OPTIONS);
  expect(failures.map(describeFailure)).toEqual([]);
  const open = obligations.filter(({ state }) => state !== 'PROVEN');
  expect(open.map(({ key, state, reason }) => [key, state, reason])).toEqual([
    ['putFile | protocol | body limit', 'OUT OF REACH', expect.stringContaining('the limit is unknown')],
  ]);
  expect(passed).toBe(true);
});

test('a correct server is proven by its URL, too', async () => {
  const server = await media().start();
  const given = { url: `http://127.0.0.1:${server.port}`, document: DOCUMENT, credentials: {}, write: true };
  const result = await run(urlTarget({ ...given, requestsPerSecond: 10_000 }), OPTIONS);
  await server.close();
  expect([result.failures.map(describeFailure), result.passed]).toEqual([[], true]);
  const open = result.obligations.filter(({ state, key }) => state !== 'PROVEN' && !key.includes('4XX'));
  expect(open.map(({ key, state }) => [key, state])).toEqual([]);
});

/** {@link media} whose streams go on after their items, for clients that wait this long: milliseconds. */
const endless = (timeout: number, change: Change = () => undefined): Target => {
  const target = media((sent, request) => {
    change(sent, request);
    if (request.url !== '/file' && sent.status === 200) sent.end = 'never';
  });
  return { ...target, start: async () => ({ ...(await target.start()), timeout }) };
};
const STREAMS = { ...OPTIONS, only: ['getEvents', 'getLines', 'getRecords'] };

test('streams that never end are no failure, and their items are judged', async () => {
  const { failures, passed } = await run(endless(300), STREAMS);
  expect([failures.map(describeFailure), passed]).toEqual([[], true]);
});

test('streams without an item are no failure, and prove nothing of their items', async () => {
  const silent = endless(300, (sent) => (sent.body = Buffer.from('')));
  const { obligations, failures, passed } = await run(silent, { ...STREAMS, only: ['getEvents'] });
  expect([failures.map(describeFailure), passed]).toEqual([[], true]);
  const items = obligations.filter(({ key }) => key.endsWith('streamed items'));
  expect(items.map(({ state }) => state)).toEqual(['OUT OF REACH']);
});

test('an answer without content has no parts', async () => {
  const described = { description: '' };
  const get = { operationId: 'read', responses: { 200: described, 206: described, 416: described } };
  const answer = routed({ 'GET /empty': () => ({ status: 200, own: true }) });
  const { obligations, failures } = await run(targetOf({ '/empty': { get } }, answer), OPTIONS);
  expect(failures.filter(({ family }) => family === 'representations')).toEqual([]);
  const [ranges] = obligations.filter(({ key }) => key.endsWith('ranges'));
  expect(ranges).toMatchObject({ state: 'OUT OF REACH', reason: 'its response has no content' });
});

const LARGE = Buffer.alloc(11_000_000, 'a');

/** What the standards leave to a server. */
const LEGAL: Readonly<Record<string, Change>> = {
  'ranges are ignored': ignoring('range'),
  'there are no validators': (sent) => {
    delete sent.headers['ETag'];
    delete sent.headers['Last-Modified'];
  },
  'each answer has other content': (sent, { url }) => {
    if (url === '/file' && sent.status < 300) sent.body = randomBytes(9);
  },
  'each answer has another ETag': ({ headers }, { url }) => {
    if (url === '/file') headers['ETag'] = `"${randomUUID()}"`;
  },
  'everything is coded': (sent, { url }) => {
    if (url !== '/file' || sent.status !== 200) return;
    sent.body = gzipSync(FIRST);
    Object.assign(sent.headers, { 'Content-Encoding': 'gzip', ETag: `W/${tagOf(FIRST)}` });
  },
  'nothing is coded': (sent, { url }) => {
    if (url !== '/file' || sent.headers['Content-Encoding'] === undefined) return;
    delete sent.headers['Content-Encoding'];
    sent.body = FIRST;
  },
  'a coding has another ETag': (sent, { url, headers }) => {
    if (
      url !== '/file' ||
      sent.headers['ETag'] === undefined ||
      !headers['accept-encoding']?.startsWith('gzip')
    )
      return;
    Object.assign(sent, { status: 200, body: gzipSync(FIRST) });
    const coded = { 'Content-Type': 'application/octet-stream', 'Content-Encoding': 'gzip' };
    Object.assign(sent.headers, coded, { ETag: `${tagOf(FIRST).slice(0, -1)}-gzip"` });
  },
  'the file is larger than what is read': (sent, { url, headers }) => {
    if (url !== '/file' || sent.status !== 200) return;
    const isCoded = headers['accept-encoding']?.startsWith('gzip') === true;
    sent.body = isCoded ? gzipSync(LARGE) : LARGE;
    if (isCoded) sent.headers['Content-Encoding'] = 'gzip';
    else delete sent.headers['Content-Encoding'];
  },
  'HEAD is not allowed': (sent, { method }) => {
    if (method === 'HEAD') sent.status = 405;
  },
  'ranges are for HEAD, too': (sent, { method, headers }) => {
    if (method === 'HEAD' && headers.range !== undefined) sent.status = 206;
  },
  'several ranges have parts': (sent, { headers }) => {
    if (headers.range?.includes(',') !== true) return;
    sent.status = 206;
    sent.headers['Content-Type'] = 'multipart/byteranges; boundary=a';
  },
};

test.each(everyOf(Object.entries(LEGAL), 3))('no failure of any server: %s', async (_, change) => {
  const { failures } = await run(media(change, { profile: 'document' }), OPTIONS);
  expect(failures.map(describeFailure)).toEqual([]);
});

test.each(everyOf(FAULTS, 2))('found, in $operation: $name', async ({ operation, family, says, change }) => {
  const only = operation === 'putFile' ? ['getFile', 'putFile'] : [operation];
  const { failures } = await run(media(change), { ...OPTIONS, only });
  const found = failures.filter((failure) => failure.family === family);
  expect(found.flatMap(({ problems }) => problems).join('\n')).toMatch(says);
  const isStream = !operation.endsWith('File');
  for (const { curl } of failures) expect(curl.includes(' -N ')).toBe(isStream);
});
