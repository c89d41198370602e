import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepFolder } from '../../../../scripts/testing/folder';
import { CLAIMS, CONFIGURATION, jwt, startIssuer } from '../../../../scripts/testing/issuer';
import { installBeside, layOut, runIn } from '../../../../scripts/testing/package';
import { type RunningProcess, startProcess } from '../../../../scripts/testing/process';
import { loadClient } from '../support/generated-client';

// One service that `new` creates, whose two workers use together what users ask for most: an issuer that is found by its URL, values
// of enums, keys of retries, the end of an operation, the metrics of OpenTelemetry, words of its own, a client that retries, and
// handlers for the tests of a front end.

jest.setTimeout(600_000);

const folder = keepFolder();
const service = join(folder, 'asked');
const edit = (file: string, change: (text: string) => string): void => {
  const text = readFileSync(join(service, file), 'utf8');
  expect(change(text)).not.toBe(text);
  writeFileSync(join(service, file), change(text));
};

const HANDLER = `import { moodValues } from '../values';
import type { CreateHandler } from './types';

/** GET /moods */
export const listMoods: CreateHandler<'listMoods'> = () => () =>
  Promise.resolve({ status: 200, body: [...moodValues] });
`;
const WORDS = `import { preferredLanguage, type Violation } from 'contract-first-server';
const phrase = (message: string, violations: readonly Violation[], language?: string): string =>
  preferredLanguage(language, ['en', 'de']) === 'de' && violations[0]?.keyword === 'minLength'
    ? \`zu kurz: mindestens \${violations[0].params?.limit} Zeichen\`
    : message;
`;
const TELEMETRY = `const record = (_, attributes) =>
  console.log('METRIC', attributes['http.route'], attributes['http.response.status_code']);
const getMeter = () => ({ createHistogram: (name) => ({ record: name === 'http.server.request.duration' ? record : () => {} }) });
require('@opentelemetry/api').metrics.setGlobalMeterProvider({ getMeter });
`;
const FRONT_END = `import { getResponse } from 'msw';
import { build, handlers } from './asked-msw.ts';
const answer = await getResponse(handlers, new Request('https://any.example/moods'));
console.log(answer?.status, await answer?.json(), build.newPainting({ title: 'Irises' }));
`;

let issuer: Awaited<ReturnType<typeof startIssuer>>;
let server: RunningProcess;
let address = '';
let token = '';
beforeAll(async () => {
  installBeside(folder);
  issuer = await startIssuer();
  token = jwt({ ...CLAIMS, iss: issuer.url });
  const given = readFileSync(join(__dirname, 'new-service/asked.yaml'), 'utf8');
  const document = join(folder, 'asked.yaml');
  writeFileSync(document, given.replace('https://login.example.org', issuer.url));
  expect(layOut(service, document, folder)).toMatch(/PROVEN \d+\/\d+, WAIVED 0, UNPROVEN 0, BLOCKED 0/);
  writeFileSync(join(service, 'src/handlers/list-moods.ts'), HANDLER);
  edit('src/errors.ts', (text) =>
    text
      .replace(/^(?=import)/, WORDS.split('\n', 1).join('') + '\n')
      .replace(/^(?=export const errors)/m, WORDS.replace(/^.*\n/, '\n'))
      .replace(
        '({ kind, message }, operation) => {',
        '({ kind, message: said, violations }, operation, language) => {\n    const message = phrase(said, violations, language);',
      ),
  );
  expect(runIn(service, 'tsc', '-p', 'src')).toEqual({ status: 0, output: '' });
  writeFileSync(join(service, 'telemetry.cjs'), TELEMETRY);
  const env = {
    ...{ PORT: '0', WORKERS: '2', AUTH_AUDIENCE: CLAIMS.aud, NODE_OPTIONS: '--require ./telemetry.cjs' },
    DATABASE_URL: `sqlite:${join(folder, 'asked.db')}`,
  };
  server = startProcess([join(service, 'dist/main.js')], env, service);
  [address = ''] = await server.printed(/http:\/\/127\.0\.0\.1:\d+/);
});
afterAll(() => {
  issuer.close();
});

const ask = (path: string, headers: Readonly<Record<string, string>> = {}, body?: object) =>
  fetch(address + path, {
    method: body ? 'POST' : 'GET',
    headers: {
      ...{
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Connection: 'close',
        ...headers,
      },
    },
    ...(body && { body: JSON.stringify(body) }),
  });

test('it finds its issuer by the URL in the document, before it listens', async () => {
  expect(readFileSync(join(service, 'openapi/asked.yaml'), 'utf8')).toContain(issuer.url + CONFIGURATION);
  expect(issuer.discovered).toBeGreaterThanOrEqual(2);
  const strange = jwt({ ...CLAIMS, iss: 'https://stranger.example' });
  for (let i = 0; i < 10; i++) {
    expect((await ask('/paintings')).status).toBe(200);
    expect((await ask('/paintings', { Authorization: `Bearer ${strange}` })).status).toBe(401);
  }
});

test('a handler uses the values of an enum, and its operation says that it ends', async () => {
  let answer = await ask('/moods');
  // Each has a connection of its own, so that both workers get some.
  for (let i = 1; i < 8; i++) answer = await ask('/moods');
  const metrics = await (await fetch(`${address}/-/metrics`)).text();
  expect(metrics.match(/^http_deprecated_calls_total\S* .*/gm)).toEqual([
    expect.stringMatching(/"listMoods".* 8$/),
  ]);
  expect([answer.headers.get('deprecation'), answer.headers.get('sunset')]).toEqual([
    '@1777593600',
    'Sun, 31 Jan 2027 00:00:00 GMT',
  ]);
  expect(await answer.json()).toEqual(['calm', 'bright', 'gloomy']);
  const [said] = await server.printed(/.*called a deprecated operation.*/);
  expect(said).toMatch(/"client": ?"[^"]*alice"/);
  writeFileSync(
    join(folder, 'after.yaml'),
    readFileSync(join(folder, 'asked.yaml'), 'utf8').replace(/ {2}\/moods:[^]*?(?=^components)/m, ''),
  );
  const breaking = (day: string) =>
    runIn(folder, 'contract-first', 'breaking', 'asked.yaml', 'after.yaml', '--today', day).status;
  expect([breaking('2027-01-30'), breaking('2027-01-31')]).toEqual([1, 0]);
});

test('it phrases a violation in the language of the client', async () => {
  const said = async (language: string) => {
    const answer = await ask('/paintings', { 'Accept-Language': language }, { title: 'a', mood: 'calm' });
    return ((await answer.json()) as { detail: string }).detail;
  };
  expect(await said('de-CH')).toBe('zu kurz: mindestens 2 Zeichen');
  expect(await said('fr')).toBe('body/title must NOT have fewer than 2 characters');
});

test('its client retries, and its workers do nothing twice', async () => {
  mkdirSync(join(folder, 'front-end'));
  const out = join(folder, 'front-end/asked.ts');
  expect(runIn(service, 'contract-first', 'client', '--msw', '--out', out)).toMatchObject({ status: 0 });
  // Beside the sources of the service its check would compile it, without MSW.
  expect(runIn(service, 'contract-first', 'client', '--msw')).toMatchObject({ status: 2 });
  let requests = 0;
  const client = loadClient(
    folder,
    readFileSync(out, 'utf8'),
  )({
    baseUrl: address,
    credentials: { login: token },
    retries: 5,
    headers: { Connection: 'close' },
    fetch: async (request) => {
      const answer = await fetch(request);
      if (++requests % 4 !== 0) throw new TypeError('the connection broke');
      return answer;
    },
  });
  for (const id of [1n, 2n, 3n])
    expect(await client['addPainting']?.({ body: { title: 'Irises', mood: 'bright' } })).toMatchObject({
      status: 201,
      body: { id, title: 'Irises', mood: 'bright' },
    });
  expect(requests).toBe(12);
  expect(await (await ask('/paintings')).json()).toHaveLength(3);

  writeFileSync(join(folder, 'front-end/test.mts'), FRONT_END);
  expect(runIn(folder, '../../front-end/test.mts')).toEqual({
    status: 0,
    output: "200 [ 'calm' ] { title: 'Irises', mood: 'calm' }\n",
  });
});

test('its workers record their requests by the conventions of OpenTelemetry, and stop', async () => {
  expect(await server.stop()).toBe(0);
  const recorded = new Set(server.output().match(/METRIC .*/g));
  expect([...recorded].sort()).toEqual([
    ...['METRIC /moods 200', 'METRIC /paintings 200', 'METRIC /paintings 201', 'METRIC /paintings 400'],
    'METRIC /paintings 401',
  ]);
});
