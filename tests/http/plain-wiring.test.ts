import express, { type ErrorRequestHandler, type Express, type Request } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import passport from 'passport';
import { Strategy as BearerStrategy } from 'passport-http-bearer';
import document from '../../generated/openapi';
import { openServer } from 'contract-first-prover/service';
import { EXAMPLE } from '../../scripts/testing/client';
import { buildApp, TOKEN } from '../../scripts/testing/plant-service';
import { exchange } from '../../scripts/testing/wire';
import { createServer } from 'node:http';

/**
 * Compares this server with the libraries wired as in their READMEs, which shows the purpose of packages/server/src/contract/. If a new
 * version of a library fixes one of these defects, the test fails, and the workaround can be removed.
 */
function plainApp(): Express {
  const app = express();
  const strategy = new BearerStrategy(
    (token: string, done: (error: unknown, user?: object | false) => void) => {
      done(null, token === TOKEN && {});
    },
  );
  passport.use(strategy);
  app.use(express.json());
  app.use(
    OpenApiValidator.middleware({
      apiSpec: structuredClone(document) as never,
      validateRequests: true,
      validateResponses: true,
      validateSecurity: {
        handlers: {
          bearerAuth: (request) =>
            new Promise((resolve) => {
              const authenticate = passport.authenticate(
                'bearer',
                { session: false },
                (_: unknown, user: unknown) => {
                  resolve(Boolean(user));
                },
              ) as (request: Request) => void;
              authenticate(request);
            }),
        },
      },
    }),
  );
  app.post('/plants', (request, response) => {
    const body = request.body as { id: number; name: string; tag?: string } | undefined;
    if (body?.name === 'raw') response.end('{"secret":1}');
    else if (body?.name === 'null') response.json({ toJSON: () => ({}), name: '' });
    else if (body?.name === 'extra') response.json({ name: '', secret: 1 });
    else if (body?.name === 'id') response.json({ name: String(body.id) });
    else response.json({ name: body ? body.name : 'no body' });
  });
  const onError: ErrorRequestHandler = (
    error: { status?: number; message: string },
    _request,
    response,
    next,
  ) => {
    if (response.headersSent) next(error);
    else response.status(error.status ?? 500).json({ error: 1, message: error.message });
  };
  app.use(onError);
  return app;
}

async function send(app: Express, bytes: string | Buffer): Promise<string> {
  const { port, close } = await openServer(createServer(app));
  const [reply] = await exchange(port, bytes);
  await close();
  return reply ? `${reply.status} ${reply.body}` : 'no answer';
}

const AUTHORIZED = `Authorization: Bearer ${TOKEN}\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';
/** What the operation requires beside the plant. */
const QUERY = EXAMPLE.path.slice('/plants'.length);
const HEADERS = Object.entries(EXAMPLE.headers ?? {})
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

function post(body: string | Buffer, headers = AUTHORIZED + JSON_TYPE, target = '/plants'): Buffer {
  const head = `POST ${target}${QUERY} HTTP/1.1\r\nHost: x\r\n${HEADERS}${headers}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
}
const plant = (name: string, id = '1') => `{"id":${id},"name":"${name}"}`;

describe('requests that the plain wiring accepts and this server refuses', () => {
  beforeAll(() => {
    jest.spyOn(console, 'error').mockReturnValue(undefined);
    jest.spyOn(console, 'warn').mockReturnValue(undefined);
  });

  it.each<[what: string, bytes: Buffer, plain: RegExp, ours: RegExp]>([
    [
      'no body',
      Buffer.from(
        `POST ${EXAMPLE.path} HTTP/1.1\r\nHost: x\r\n${HEADERS}${AUTHORIZED}${JSON_TYPE}Connection: close\r\n\r\n`,
      ),
      /^200 .*no body/,
      /^400 .*40001,"message":"body is required"/,
    ],
    [
      'an int64 that a double cannot represent',
      post(plant('id', '9007199254740993')),
      /^200 .*9007199254740992/,
      /^200 /,
    ],
    ['an integer beyond int64', post(plant('id', '9223372036854775808')), /^200 /, /^400 .*40001/],
    ['1e300', post(plant('id', '1e300')), /^200 /, /^400 .*40001/],
    [
      'a token in the body',
      post(`{"id":1,"name":"","access_token":"${TOKEN}"}`, `Authorization: Basic xbearerx\r\n${JSON_TYPE}`),
      /^200 /,
      /^401 .*40100/,
    ],
    ['bad JSON and no token', post('{', JSON_TYPE), /^400 /, /^401 .*40100/],
    [
      'bytes that are not UTF-8',
      post(Buffer.from('{"id":1,"name":"\xff"}', 'latin1')),
      /^200 /,
      /^400 .*40000/,
    ],
    ['half of a surrogate pair', post('{"id":1,"name":"\\ud800"}'), /^200 /, /^400 .*40000/],
    ['a duplicate name', post('{"id":1,"name":"a","name":"b"}'), /^200 /, /^400 .*40000/],
    ['the path with a trailing slash', post(plant('x'), undefined, '/plants/'), /^200 /, /^404 .*40400/],
    ['the path in upper case', post(plant('x'), undefined, '/PLANTS'), /^200 /, /^404 .*40400/],
    ['the absolute-form', post(plant('x'), undefined, 'http://x/plants'), /^404 /, /^200 /],
    ['a handler that writes the response itself', post(plant('raw')), /^200 .*secret/, /^200 {"name":"raw"}/],
    ['a toJSON', post(plant('null')), /^200 {}/, /^200 {"name":"null"}/],
    ['an unlisted property', post(plant('extra')), /^200 .*secret/, /^200 {"name":"extra"}/],
  ])('%s', async (_, bytes, plain, ours) => {
    expect(await send(plainApp(), bytes)).toMatch(plain);
    expect(await send(buildApp(), bytes)).toMatch(ours);
  });
});
