import { listening } from '../../../../scripts/testing/listening';
import { json, buildDocument, buildService } from '../../../../scripts/testing/service';
import { exchange } from '../../../../scripts/testing/wire';

/**
 * The field names of RFC 9110 section 18.4 and RFC 9111, those of RFC 9112, and others in the IANA registry
 * (https://www.iana.org/assignments/http-fields) or in wide use, as far as they stand in requests.
 */
const LISTS =
  'Accept Accept-Charset Accept-Encoding Accept-Language Accept-Ranges Allow Authentication-Info Cache-Control Connection ' +
  'Content-Encoding Content-Language Expect If-Match If-None-Match Pragma Proxy-Authenticate Proxy-Authentication-Info TE ' +
  'Trailer Upgrade Vary Via WWW-Authenticate';
const SINGLES =
  'Age Content-Location Content-Range Content-Type Date ETag Expires From If-Modified-Since If-Range If-Unmodified-Since ' +
  'Last-Modified Location Max-Forwards Proxy-Authorization Range Referer Retry-After Server User-Agent Authorization Cookie ' +
  'Set-Cookie Origin DNT X-Request-Id X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto Forwarded Link Prefer Priority ' +
  'Traceparent Tracestate Idempotency-Key Keep-Alive Proxy-Connection Sec-Fetch-Mode Sec-Fetch-Site Alt-Used Early-Data ' +
  'Content-Disposition Content-MD5 Digest Want-Digest Access-Control-Request-Headers Access-Control-Request-Method ' +
  'Last-Event-ID MIME-Version Save-Data Upgrade-Insecure-Requests X-Api-Key X-Own constructor 0';
/** Refused in every head, or parts of the connection: head.test.ts. */
const FRAMING = ['Host', 'Content-Length', 'Transfer-Encoding'];
/** OpenAPI 3.1 section 4.8.12.1: never parameters. The server itself reads them. */
const NEVER_PARAMETERS = ['Accept', 'Content-Type', 'Authorization'];
/** They are refused whether documented or not. */
const ALWAYS_ONE = ['Authorization', 'Content-Type'];

const lists = LISTS.split(' ');
const names = [...lists, ...SINGLES.split(' ')];

const string = { type: 'string' };
const SCHEMAS = {
  string: { schema: string },
  array: { schema: { type: 'array', items: string } },
  object: { schema: { type: 'object', additionalProperties: string } },
  json: { content: json({}) },
  undocumented: undefined,
};
type Way = keyof typeof SCHEMAS;
const ways = Object.keys(SCHEMAS) as Way[];

let seen: unknown;
const { app } = buildService({
  document: buildDocument({
    paths: Object.fromEntries(
      names.flatMap((name) =>
        ways.map((way) => {
          const described = SCHEMAS[way];
          const parameters = described ? [{ name, in: 'header', ...described }] : [];
          const responses = { 204: { description: '' } };
          return [`/${name}/${way}`, { get: { operationId: `${name} ${way}`, parameters, responses } }];
        }),
      ),
    ),
  }),
  handlers: Object.fromEntries(
    names.flatMap((name) =>
      ways.map((way) => [
        `${name} ${way}`,
        ({ header = {} }: { header?: Record<string, unknown> }) => {
          seen = Object.hasOwn(header, name) ? header[name] : undefined;
          return Promise.resolve({ status: 204 });
        },
      ]),
    ),
  ),
});

/** What the handler sees of the lines `a,b` and `c,d`; undefined: the request is refused. */
function expected(name: string, way: Way): { readonly value: unknown } | undefined {
  if (ALWAYS_ONE.includes(name)) return undefined;
  if (way === 'undocumented' || NEVER_PARAMETERS.includes(name)) return { value: undefined };
  if (way === 'array') return { value: ['a', 'b', 'c', 'd'] };
  if (way === 'object') return { value: { a: 'b', c: 'd' } };
  return way === 'string' && lists.includes(name) ? { value: 'a,b, c,d' } : undefined;
}

test.each(ways)('two lines of each standard field, documented as %s', async (way) => {
  const found: unknown[] = [];
  const wanted: unknown[] = [];
  await listening(app, async (port) => {
    for (const name of names) {
      seen = undefined;
      const lines = `${name}: a,b\r\n${name.toLowerCase()}:c,d\r\n`;
      const [reply] = await exchange(port, `GET /${name}/${way} HTTP/1.1\r\nHost: x\r\n${lines}\r\n`);
      const body = JSON.parse(reply?.status === 204 ? '{}' : (reply?.body ?? '')) as {
        error?: number;
        message?: string;
      };
      found.push([name, reply?.status, reply?.status === 204 ? seen : body.message]);
      const want = expected(name, way);
      const sentence = `header/${name} is given more than once`;
      wanted.push(want ? [name, 204, want.value] : [name, 400, sentence]);
    }
  });
  expect(found).toEqual(wanted);
});

test.each(ways.filter((way) => way !== 'undocumented'))('one line of each, documented as %s', async (way) => {
  const text = { string: 'a,b', array: 'a,b', object: 'a,b', json: '"a,b"' }[way];
  const value = { string: 'a,b', array: ['a', 'b'], object: { a: 'b' }, json: 'a,b' }[way];
  await listening(app, async (port) => {
    for (const name of names.filter((one) => !NEVER_PARAMETERS.includes(one))) {
      const [reply] = await exchange(
        port,
        `GET /${name}/${way} HTTP/1.1\r\nHost: x\r\n${name}: ${text} \t\r\n\r\n`,
      );
      expect([name, reply?.status, seen]).toEqual([name, 204, value]);
    }
  });
});

test.each(FRAMING)('%s is refused in the head', async (name) => {
  const lines = `${name}: 1\r\n`.repeat(name === 'Host' ? 1 : 2);
  const [reply] = await listening(app, (port) =>
    exchange(port, `GET /X-Own/string HTTP/1.1\r\nHost: x\r\n${lines}\r\n`),
  );
  expect([reply?.status, reply?.headers['connection']]).toEqual([name.startsWith('T') ? 501 : 400, 'close']);
});
