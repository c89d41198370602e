import cors from 'cors';
import express from 'express';
import { type Answer, InvalidContract, Problem, type ServiceOptions } from 'contract-first-server';
import type { OperationalKind } from 'contract-first-server/runtime';
import { cases } from '../../../../scripts/testing/cases';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';
import { exchange } from '../../../../scripts/testing/wire';

const string = { type: 'string' };
const many = { type: 'array', items: string };
const DOCUMENT = buildDocument({
  operation: {
    responses: {
      200: {
        description: '',
        headers: {
          'X-Text': { schema: string },
          'X-List': { schema: many },
          'X-Either': { schema: { oneOf: [string, many] } },
          'X-Object': { schema: { type: 'object', additionalProperties: string } },
          'X-Json': { content: json(string) },
          'X-Time': { schema: { type: 'string', format: 'date-time' } },
          'Set-Cookie': { schema: many },
          Vary: { schema: many },
        },
        content: { 'text/plain': {} },
      },
    },
  },
});
const POST = 'POST /things HTTP/1.1\r\nHost: x\r\n\r\n';

const answer = (headers: Answer['headers'], contentType = 'text/plain') =>
  Promise.resolve({ status: 200, headers, contentType, body: '' });
const serviceOf = (
  postThing: () => Promise<Answer>,
  options: Partial<ServiceOptions<OperationalKind>> = {},
) => buildService({ document: DOCUMENT, handlers: { postThing }, reportFault: () => undefined, ...options });

/** Every character up to U+00FF, of the letters and digits and of those beyond ASCII some, and samples of the others. */
const CHARACTERS = [
  ...Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code)).filter(
    (character, code) => code % cases(8, 1) === 0 || /[^A-Za-z0-9\x80-\xff]/.test(character),
  ),
  ...['\u0100', '\u010a', '\u03a9', '\ud800', '😀'],
];

test.each<[way: string, (text: string) => Promise<Answer>, besides: string]>([
  ['a text', (text) => answer({ 'X-Text': text }), ''],
  ['a text that may be a list', (text) => answer({ 'X-Either': text }), ','],
  ['toJSON of one', (text) => answer({ 'X-Either': { toJSON: () => text } }), ','],
  ['an item', (text) => answer({ 'X-List': ['a', text] }), ','],
  ['a property', (text) => answer({ 'X-Object': { a: text } }), ','],
  ['a name', (text) => answer({ 'X-Object': { [text]: 'a' } }), ','],
  ['a cookie', (text) => answer({ 'Set-Cookie': ['a=b', text] }), ''],
  ['toJSON of an object', (text) => answer({ 'X-Text': { toJSON: () => text } }), ''],
  ['a header of a problem', (text) => Promise.reject(new Problem('forbidden', 'no', { 'X-Why': text })), ''],
])('%s is sent unchanged, or is a server error if a header cannot contain it', async (_, give, besides) => {
  let text = '';
  const { app } = serviceOf(() => give(text));
  const sent: string[] = [];
  await listening(app, async (port) => {
    for (const character of CHARACTERS) {
      text = `a${character}b`;
      const [reply] = await exchange(port, POST);
      if (Object.values(reply?.headers ?? {}).some((value) => value.includes(text))) sent.push(character);
      else expect([character, reply?.status]).toEqual([character, 500]);
    }
  });
  expect(sent).toEqual(
    CHARACTERS.filter((character) => /^[\t -~]$/.test(character) && character !== besides),
  );
});

test.each(['\u03a9', '\x7f', '\x80'])(
  'JSON with the character %j cannot be sent either',
  async (character) => {
    const { app, outcomes } = serviceOf(() => answer({ 'X-Json': character }));
    const [reply] = await listening(app, (port) => exchange(port, POST));
    expect(reply?.status).toBe(500);
    expect(String(outcomes[0]?.problem?.cause)).toContain(
      'X-Json has a character that a header cannot carry',
    );
  },
);

test('names are case-insensitive and must be unique', async () => {
  const { app, outcomes } = serviceOf(() => answer({ 'X-Text': 'a', 'x-text': 'b' }));
  const [reply] = await listening(app, (port) => exchange(port, POST));
  expect([reply?.status, String(outcomes[0]?.problem?.cause)]).toEqual([
    500,
    'UndocumentedResponse: the header x-text is given twice',
  ]);
});

/** The headers of the response to a page of another origin. */
const headersOf = (app: express.Express) =>
  listening(app, async (port) => {
    const headers = { Origin: 'https://a.example.com' };
    return (await fetch(`http://127.0.0.1:${port}/things`, { method: 'POST', headers })).headers;
  });

test('a Date is its ISO text, alone and in a list', async () => {
  const epoch = '1970-01-01T00:00:00.000Z';
  const headers = await headersOf(
    serviceOf(() => answer({ 'X-Time': new Date(0), 'X-List': [new Date(0), 'b'] })).app,
  );
  expect([headers.get('x-time'), headers.get('x-list')]).toEqual([epoch, `${epoch},b`]);
});

test('each cookie has a separate field', async () => {
  const cookies = ['a=b; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'c=d; HttpOnly'];
  const headers = await headersOf(serviceOf(() => answer({ 'Set-Cookie': cookies })).app);
  expect(headers.getSetCookie()).toEqual(cookies);
});

test('a documented X-Request-Id replaces that of the server', async () => {
  const headers = { 'X-REQUEST-ID': { schema: string } };
  const document = buildDocument({ operation: { responses: { 204: { description: '', headers } } } });
  const postThing = () => Promise.resolve({ status: 204, headers: { 'x-request-id': 'own' } });
  const { app } = buildService({ document, handlers: { postThing } });
  expect((await headersOf(app)).get('x-request-id')).toBe('own');
});

test('Vary combines the values of the handler, of every response and of earlier middleware', async () => {
  const app = express().use(cors({ origin: ['https://a.example.com'] }));
  const give = () => answer({ Vary: ['Accept', 'origin'] });
  const headers = await headersOf(app.use(serviceOf(give, { headers: { Vary: 'Accept-Language' } }).app));
  expect(headers.get('vary')).toBe('origin, Accept-Language, Accept');
});

const CONNECTION =
  'Connection Content-Length Keep-Alive TE Trailer transfer-encoding Upgrade Proxy-Authenticate';
test.each([...CONNECTION.split(' '), 'X Y', 'X:', 'é', ''])(
  'the documented header %j is refused at startup with its place',
  (name) => {
    const responses = { 200: { description: '', headers: { [name]: { schema: string } } } };
    const document = buildDocument({ operation: { responses } });
    const start = () => serviceOf(() => Promise.resolve({ status: 200 }), { document });
    expect(start).toThrow(InvalidContract);
    expect(start).toThrow(`#/paths/~1things/post/responses/200/headers/${name}: `);
  },
);

test.each([{ 'X-Always': 'a\nb' }, { 'Content-Length': '1' }])(
  'so is %j among the headers of every response',
  (headers) => {
    expect(() => serviceOf(() => answer({}), { headers })).toThrow(TypeError);
  },
);
