import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ADVICE } from '../src/advice';
import { type Fault, LIBRARY, LIBRARY_CREDENTIALS, startLibrary } from './support/library';
import { type Result, run, type RunOptions } from '../src/run';
import { type Answer, correctServer, numbers, routed, targetOf } from './support/simple-server';
import type { Target } from '../src/target';
import { type UrlOptions, urlTarget } from '../src/url-target';
import { type JsonObject, objectAt } from '../src/json/tree';
import { formatReport } from '../src/report/terminal';

/** A finding with an advice, and the same after the advice was followed. */
interface Followed {
  readonly says: string;
  readonly before: () => Promise<Result>;
  readonly after: () => Promise<Result>;
}

const QUICK: RunOptions = { generated: 2, shrink: false };
const tested = (tested: Target, options: RunOptions = {}): Promise<Result> =>
  run(tested, { ...QUICK, ...options });

/** Everything that a person can read about a run. */
const textOf = (result: Result): string =>
  [
    formatReport(result),
    ...result.obligations.map(({ reason = '' }) => reason),
    ...result.failures.flatMap(({ problems }) => problems),
  ].join('\n');

/** The library by its URL. */
async function library(options: Partial<UrlOptions> = {}, fault?: Fault, only?: string): Promise<Result> {
  const { url, close } = await startLibrary(fault);
  try {
    const one = urlTarget({
      url,
      document: LIBRARY,
      credentials: LIBRARY_CREDENTIALS,
      requestsPerSecond: 10_000,
      ...options,
    });
    return await tested(one, only === undefined ? {} : { only: [only] });
  } finally {
    await close();
  }
}

/** A target without another change than these, by its URL. */
async function byUrl(one: Target, options: Partial<UrlOptions> = {}): Promise<Result> {
  const server = await one.start();
  const { document } = one;
  try {
    const url = `http://127.0.0.1:${server.port}`;
    return await tested(urlTarget({ url, document, write: true, requestsPerSecond: 10_000, ...options }));
  } finally {
    await server.close();
  }
}

const unchanged = (): void => undefined;

/** A service with `GET /things/{id}`, which holds one. */
function things(held: number, example: number | undefined, changed: Partial<Target> = {}): Target {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
  const get = {
    operationId: 'getThing',
    parameters: [{ ...id, ...(example !== undefined && { example }) }],
    responses: { 204: { description: 'there' }, 404: { description: 'no such thing' } },
  };
  const answer = routed({
    'GET /things/{id}': ({ id: text = '' }) =>
      /^-?\d+(\.0+)?$/.test(text)
        ? { status: Number(text) === held ? 204 : 404, own: true }
        : { status: 400 },
  });
  return targetOf({ '/things/{id}': { get } }, answer, { source: 'tests/service.ts', ...changed });
}
const gone = (...operations: string[]) => ({ ownRefusals: { gone: { status: 404, operations } } });

/** Accepts the tokens `right` and `other`. The token `narrow` lacks a scope. */
const guarded: Answer = (request, body) => {
  const [, token = ''] = /^bearer ([\w-]+)$/i.exec(request.headers.authorization ?? '') ?? [];
  const reply = correctServer(request, body);
  if (reply.status === 404 || reply.status === 405) return reply;
  if (token === 'narrow')
    return {
      status: 403,
      headers: { 'WWW-Authenticate': 'Bearer error="insufficient_scope", scope="write"' },
    };
  const isKnown = token === 'right' || token === 'other';
  return isKnown ? reply : { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } };
};

/** The simple service with a bearer token. */
function secured(credentials: Target['credentials'], alternatives: JsonObject[]): Target {
  return numbers(
    (operation, document) => {
      operation['security'] = alternatives;
      Object.assign(operation['responses'] as JsonObject, {
        401: { description: 'who?' },
        403: { description: 'no' },
      });
      document['components'] = {
        securitySchemes: {
          token: { type: 'oauth2', flows: { implicit: { authorizationUrl: '/', scopes: { write: '' } } } },
          other: { type: 'http', scheme: 'bearer' },
        },
      };
    },
    guarded,
    // The simple server reads the body before it looks at the token, which this profile allows.
    { credentials, profile: 'document' },
  );
}
const TOKEN = { valid: 'right', invalid: 'wrong' };
const OTHER = { valid: 'other', invalid: 'wrong' };

const LIBRARY_BOOKS = ({ method, path }: { method: string; path: string }): boolean =>
  method === 'POST' && path === '/v1/books';
/** A library whose rule about titles is in no document. */
const ruled =
  (status: number): Fault =>
  (request, correct) =>
    LIBRARY_BOOKS(request) &&
    request.body instanceof Object &&
    String(Reflect.get(request.body, 'title')).length === 200
      ? { status, body: { title: 'not this one' } }
      : correct();

const login = (example: JsonObject | undefined): Target => {
  const password = { type: 'string', minLength: 1, maxLength: 20 };
  const content = {
    'application/json': {
      schema: { type: 'object', required: ['password'], properties: { password } },
      ...(example && { example }),
    },
  };
  const post = {
    operationId: 'logIn',
    requestBody: { required: true, content },
    responses: {
      204: { description: 'in' },
      401: { description: 'a wrong password' },
      400: { description: 'no' },
    },
  };
  const answer = routed({
    'POST /login': (_, body, { headers }) => {
      if (!/^application\/json/i.test(headers['content-type'] ?? '')) return { status: 415 };
      const text = passwordIn(Buffer.from(body, 'latin1').toString());
      if (typeof text !== 'string' || text.length < 1 || Array.from(text).length > 20) return { status: 400 };
      return text === 'sesame' ? { status: 204 } : { status: 401, headers: { 'WWW-Authenticate': 'Form' } };
    },
  });
  return targetOf({ '/login': { post } }, answer);
};

function passwordIn(json: string): unknown {
  try {
    const given: unknown = JSON.parse(json);
    return given instanceof Object && !Array.isArray(given) ? Reflect.get(given, 'password') : undefined;
  } catch {
    return undefined;
  }
}

const notes = (example: string | undefined): Target => {
  const name = { name: 'name', in: 'path', required: true, schema: { type: 'string' } };
  const remove = {
    operationId: 'removeNote',
    parameters: [{ ...name, ...(example !== undefined && { example }) }],
    responses: { 204: { description: 'gone' } },
  };
  const held = new Set(['mine']);
  const answer = routed({
    'DELETE /notes/{name}': ({ name: key = '' }) => ({ status: held.delete(key) ? 204 : 404 }),
  });
  return targetOf({ '/notes/{name}': { delete: remove } }, answer);
};

const conflicting: Answer = (request, body) =>
  body === '77' ? { status: 409, own: true } : correctServer(request, body);
const conflict = {
  ownRefusals: { conflict: { status: 409, operations: ['putNumber'] } },
  scenarios: [{ title: '77', steps: [{ operation: 'putNumber', body: '77', expect: 'conflict' }] }],
};

const never = { if: { const: 'never' }, then: { minLength: 3 } };
const withNever = (waivers: Target['waivers'] = []): Target =>
  numbers(
    (operation) => {
      Object.assign(objectAt(operation, '/requestBody/content/application~1json/schema'), never);
    },
    correctServer,
    { waivers },
  );

const named = (schema: JsonObject): Target =>
  numbers(
    (operation) => {
      operation['parameters'] = [{ name: 'name', in: 'query', schema }];
    },
    (request, body) => {
      request.url = request.url?.replace(/\?name=[a-z]+$/, '') ?? '';
      return correctServer(request, body);
    },
  );
const NAME = { type: 'string', pattern: '^[a-z]+$' };

const receiving = (): Target => {
  let received: unknown;
  return numbers(
    unchanged,
    (request, body) => {
      const reply = correctServer(request, body);
      if (reply.status === 204) received = Number(body);
      return reply;
    },
    { received: () => ({ body: received }) },
  );
};

const waived = (expires: string): Target =>
  numbers(
    unchanged,
    (request, body) => (body === '1000001' ? { status: 204 } : correctServer(request, body)),
    {
      waivers: [{ failure: '*maximum*', reason: 'known', expires }],
    },
  );
const on = (day: string): RunOptions => ({ today: new Date(day) });

const SCOPED = [{ token: ['write'] }];
const EITHER = [{ token: ['write'] }, { other: [] }];
const narrow = { ...TOKEN, insufficient: () => ['narrow'] };
const refused = (operation: JsonObject): void => {
  Object.assign(operation['responses'] as JsonObject, { 503: { description: 'away' } });
};

const FOLLOWED: Readonly<Record<keyof typeof ADVICE, Followed>> = {
  allowOwnRefusal: {
    says: 'add getThing to ownRefusals.gone.operations in tests/service.ts',
    before: () => tested(things(7, 7, gone())),
    after: () => tested(things(7, 7, gone('getThing'))),
  },
  holdExamples: {
    says: 'which the minimal request must not get: make the service accept it',
    before: () => tested(things(8, 7, gone('getThing'))),
    after: () => tested(things(7, 7, gone('getThing'))),
  },
  refuseOtherwise: {
    says: 'respond with another status or code than for invalid requests (409 is usual)',
    before: () => library({ write: true }, ruled(400), 'addBook'),
    after: () => library({ write: true }, ruled(409), 'addBook'),
  },
  readItsLog: {
    says: 'the cause is in the log of the server, which is another process',
    before: () => library({}, (_, correct) => ({ ...correct(), status: 500 }), 'listBooks'),
    after: () => library({}, (_, correct) => correct(), 'listBooks'),
  },
  allowWrites: {
    says: 'they are sent with --write',
    before: () => library({}, undefined, 'addAuthor'),
    after: () => library({ write: true }, undefined, 'addAuthor'),
  },
  allowCreation: {
    says: 'the service does not have what it names: with --write the run creates it',
    before: () => library({}, undefined, 'getBook'),
    after: () => library({ write: true }, undefined, 'getBook'),
  },
  documentResource: {
    says: 'add examples of the parameters in its path',
    before: () => byUrl(notes(undefined)),
    after: () => byUrl(notes('mine')),
  },
  renewCredentials: {
    says: 'check that the `valid` credentials are current',
    before: () => library({ credentials: { key: { valid: 'old-key', invalid: 'wrong-key' } } }),
    after: () => library(),
  },
  documentExample: {
    says: 'add examples that the service accepts to the parameters and the body in the document',
    before: () => byUrl(login(undefined)),
    after: () => byUrl(login({ password: 'sesame' })),
  },
  addCredentials: {
    says: 'add {"key": {"valid": "...", "invalid": "..."}} (--credentials FILE)',
    before: () => library({ credentials: {} }),
    after: () => library(),
  },
  addTargetCredentials: {
    says: 'add {"token": {"valid": "...", "invalid": "..."}} to the credentials',
    before: () => tested(secured({}, SCOPED)),
    after: () => tested(secured({ token: narrow }, SCOPED)),
  },
  addExample: {
    says: 'the document has no example for path id, so a generated value was sent: add one that the service has',
    before: () => tested(things(-77, undefined, gone('getThing'))),
    after: () => tested(things(-77, -77, gone('getThing'))),
  },
  holdResource: {
    says: "the service must have the resource that the document's examples name: path id = 7",
    before: () => tested(things(8, 7)),
    after: () => tested(things(7, 7, gone('getThing'))),
  },
  stateLimit: {
    says: 'the limit is unknown: state it (--body-limit BYTES)',
    before: () => byUrl(numbers(unchanged), { profile: 'strict' }),
    after: () => byUrl(numbers(unchanged), { profile: 'strict', bodyLimit: 2000 }),
  },
  testInProcess: {
    says: 'requests do not show the input of a handler: test in the process of the service (`received` of the target)',
    before: () => byUrl(receiving()),
    after: () => tested(receiving()),
  },
  causeInProcess: {
    says: 'test in the process of the service (`situations` or `scenarios` of the target)',
    before: () => byUrl(numbers(unchanged, conflicting)),
    after: () => tested(numbers(unchanged, conflicting, conflict)),
  },
  addScopes: {
    says: 'no credentials lack the scopes: add some (`insufficient` of the credentials)',
    before: () => tested(secured({ token: TOKEN }, SCOPED)),
    after: () => tested(secured({ token: narrow }, SCOPED)),
  },
  addScenario: {
    says: 'no request caused this response: add a scenario or a waiver to tests/service.ts',
    before: () => tested(numbers(unchanged, conflicting)),
    after: () => tested(numbers(unchanged, conflicting, conflict)),
  },
  addAlternative: {
    says: 'the credentials of this alternative are missing: add {"other": {"valid": "...", "invalid": "..."}} to `credentials`',
    before: () => tested(secured({ token: narrow }, EITHER)),
    after: () => tested(secured({ token: narrow, other: OTHER }, EITHER)),
  },
  waive: {
    says: 'no request tests it: add a waiver to tests/service.ts',
    before: () => tested(numbers(refused)),
    after: () =>
      tested(
        numbers(refused, correctServer, {
          waivers: [{ obligation: 'putNumber | response | 503 | *', reason: 'never away' }],
        }),
      ),
  },
  waiveValid: {
    says: 'the search for a valid value to which minLength applies gave up after 140 draws: add an example to the document, or a waiver to tests/service.ts',
    before: () => tested(withNever()),
    after: () => tested(withNever([{ obligation: '*/then minLength | holds', reason: 'never' }])),
  },
  removeKeyword: {
    says: 'Remove the keyword if others already exclude such values, or add a waiver to tests/service.ts',
    before: () => tested(named({ ...NAME, maxLength: 1_000_000 })),
    after: () => tested(named(NAME)),
  },
  renewWaiver: {
    says: 'EXPIRED waiver: *maximum* (known, until 2026-06-30). Fix the cause and remove it, or set another date.',
    before: () => tested(waived('2026-06-30'), on('2026-07-01')),
    after: () => tested(waived('2026-07-31'), on('2026-07-01')),
  },
  removeWaiver: {
    says: 'UNUSED waiver: nothing (old) matches nothing. Remove it.',
    before: () =>
      tested(numbers(unchanged, correctServer, { waivers: [{ obligation: 'nothing', reason: 'old' }] })),
    after: () => tested(numbers(unchanged)),
  },
};

test.each(Object.entries(FOLLOWED))(
  'the finding goes away that %s is about',
  async (_, { says, before, after }) => {
    expect(textOf(await before())).toContain(says);
    expect(textOf(await after())).not.toContain(says);
  },
);

test('a login that refuses other passwords with the documented 401 has no failure', async () => {
  const result = await byUrl(login({ password: 'sesame' }));
  expect(result.failures).toEqual([]);
  expect(result.obligations.filter(({ state }) => state === 'UNPROVEN' || state === 'BLOCKED')).toEqual([]);
});

const PROVER = join(__dirname, '../src');

/** Imperatives that tell a person what to do. */
const IMPERATIVE =
  /(?:: |; |, or |\. )(?:add|give|check that|mend|set another|state|document|answer with|declare|make|test in|cause|remove) (?!contract)/i;

test('every advice stands in advice.ts, so that it has a test', () => {
  const files = readdirSync(PROVER, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !/^(?:advice\.ts$|service\/)/.test(name),
  );
  const found = files.flatMap((name) =>
    readFileSync(join(PROVER, name), 'utf8')
      .split('\n')
      .filter((line) => /['"`]/.test(line) && !/^\s*(?:\/?\*|\/\/)/.test(line) && IMPERATIVE.test(line))
      .map((line) => `${name}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
