/**
 * Injects one fault at a time at each call out of the pipeline, and prints the outcomes as JSON. It is a separate
 * program, because only the process receives unhandled rejections.
 */
import { createReadStream } from 'node:fs';
import type { AddressInfo } from 'node:net';
import express from 'express';
import {
  type Answer,
  createHttpServer,
  createService,
  type Logger,
  type OwnStreamCodec,
  type ServiceOptions,
} from 'contract-first-server';
import type { OperationalKind } from 'contract-first-server/runtime';
import { toProblem } from '../../../../scripts/testing/plain-errors';
import { renderPlain } from '../../../../scripts/testing/plain-errors';
import { buildDocument, json } from '../../../../scripts/testing/service';
import { exchange } from '../../../../scripts/testing/wire';

/** The outcome of one fault. */
export interface Row {
  readonly scenario: string;
  /** The failed call and its index in this scenario, from 0. */
  readonly site: string;
  readonly fault: string;
  /** `200`, `500/50000`, or `closed` if the connection was closed without an answer. */
  readonly outcome: string;
  /** The violated expectations; empty in a passing run. */
  readonly wrong: readonly string[];
}

/** Milliseconds. */
const DEADLINE = 300;
const LIMITS = { headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 5_000 };

type Act = () => unknown;

/** Throws any value, as JavaScript allows. */
function raise(thrown: unknown): unknown {
  return (function* () {
    yield undefined;
  })().throw(thrown);
}

/** A value that throws on every access. */
const hostile: unknown = new Proxy(
  {},
  Object.fromEntries(
    ['get', 'getPrototypeOf', 'has', 'ownKeys', 'getOwnPropertyDescriptor'].map((trap) => [
      trap,
      () => raise(new Error(`a trap: ${trap}`)),
    ]),
  ),
);

/** The thrown values. The reports must contain a thrown error. */
const THROWN: readonly (readonly [string, unknown])[] = [
  ['an Error', new Error('injected')],
  ['undefined', undefined],
  ['a string', 'injected'],
  ['a hostile Proxy', hostile],
];
const THROWING = THROWN.map(([name, thrown]): [string, Act] => [`throws ${name}`, () => raise(thrown)]);
const REJECTING = THROWN.map(([name, thrown]): [string, Act] => [
  `rejects with ${name}`,
  () => Promise.resolve().then(() => raise(thrown)),
]);
const RETURNING: [string, Act][] = [
  ['returns undefined', () => undefined],
  ['returns null', () => null],
  ['returns NaN', () => NaN],
  ['returns a hostile Proxy', () => hostile],
  ['returns a line break', () => 'a\r\nX-Injected: b'],
  ['returns a promise that is never awaited', () => Promise.reject(new Error('never awaited'))],
];
/** Values that end the process unless their failure is handled. */
const STARTED: [string, Act][] = [
  ['a promise', () => Promise.reject(new Error('never awaited'))],
  ['a promise in an array', () => [Promise.reject(new Error('never awaited'))]],
  ['a promise in an object', () => ({ name: Promise.reject(new Error('never awaited')) })],
  ['a promise of toJSON', () => ({ name: { toJSON: () => Promise.reject(new Error('never awaited')) } })],
  ['a stream', () => createReadStream('/nowhere')],
  ['a stream in an object', () => ({ name: createReadStream('/nowhere') })],
];
const ANSWERING = ['status', 'headers', 'contentType', 'body'].flatMap((part) =>
  STARTED.map(([name, start]): [string, Act] => [
    `answers with ${name} as ${part}`,
    () => Promise.resolve({ status: 200, body: { name: 'a' }, [part]: start() }),
  ]),
);
const STARTED_BY_HOOKS = STARTED.map(([name, start]): [string, Act] => [
  `returns ${name} as a header`,
  () => ({ 'X-A': start() }),
]);
const NEVER: [string, Act][] = [['never settles', () => new Promise(() => undefined)]];

/** The faults of a call: functions of the options may fail in any way, those of Node can only throw. */
function faultsOf(site: string): readonly [string, Act][] {
  // Any body that `render` returns is a valid error body of the service.
  if (/^(request|response)\.|^(rendered\.body|stderr)$/.test(site)) return THROWING;
  if (site === 'handler') return [...THROWING, ...REJECTING, ...RETURNING, ...NEVER, ...ANSWERING];
  if (site === 'strategy') return [...THROWING, ...REJECTING, ...RETURNING, ...NEVER];
  if (site === 'afterAuthentication' || site === 'beforeHandler') {
    return [...THROWING, ...REJECTING, ...RETURNING, ...NEVER, ...STARTED_BY_HOOKS];
  }
  if (site === 'next') return [...THROWING, ...REJECTING, ...RETURNING, ...NEVER];
  if (site === 'afterResponse') return [...THROWING, ...REJECTING, ...RETURNING, ...NEVER];
  if (/\.(then|Symbol\(.*\))$/.test(site)) return THROWING; // a value that is not a function is never called
  return site.includes('.') ? [...THROWING, ...RETURNING] : [...THROWING, ...REJECTING, ...RETURNING];
}

/** Counts the calls at each site. The armed call performs the fault. */
class Switchboard {
  private counts = new Map<string, number>();
  private armed = new Map<string, Act>();

  arm(...armed: [site: string, act: Act][]): void {
    this.counts = new Map();
    this.armed = new Map(armed);
  }

  /** Whether every armed fault has happened. */
  get fired(): boolean {
    return this.armed.size === 0;
  }

  sites(): string[] {
    return [...this.counts].flatMap(([site, count]) =>
      Array.from({ length: count }, (_, i) => `${site} ${i}`),
    );
  }

  call<T>(site: string, work: () => T): T {
    const count = this.counts.get(site) ?? 0;
    this.counts.set(site, count + 1);
    const key = `${site} ${count}`;
    const act = this.armed.get(key);
    if (!act) return work();
    this.armed.delete(key);
    return act() as T;
  }

  /** The object, with its methods as sites. */
  wrap(name: string, object: object, methods: readonly string[]): void {
    for (const method of methods) {
      const work = Reflect.get(object, method) as (...args: unknown[]) => unknown;
      Reflect.set(object, method, (...args: unknown[]) => {
        const call = () => Reflect.apply(work, object, args);
        // Node calls some of them too, after a response has been sent.
        return new Error().stack?.includes('packages/server/src/contract/') === true
          ? this.call(`${name}.${method}`, call)
          : call();
      });
    }
  }

  /** The object, with each access to a property as a site. */
  readings<T extends object>(name: string, object: T): T {
    return new Proxy(object, {
      get: (target, key) => this.call(`${name}.${String(key)}`, (): unknown => Reflect.get(target, key)),
    });
  }
}

// The stack of each call is read below. Mapped lines would cost more than the calls.
process.setSourceMapsEnabled(false);

const board = new Switchboard();
/** Everything that was reported, on any channel. */
let reported: unknown[] = [];
let uncaught: unknown[] = [];
let held: (() => void) | undefined;
process.on('unhandledRejection', (error) => uncaught.push(error));
process.on('uncaughtException', (error) => uncaught.push(error));
console.error = (error: unknown) => board.call('stderr', () => reported.push(error));

const thing = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
const DOCUMENT = buildDocument({
  components: { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } },
  operation: {
    security: [{ bearerAuth: [] }],
    requestBody: { required: true, content: json(thing) },
    responses: {
      200: {
        description: 'done',
        headers: { 'X-Count': { schema: { type: 'integer' } } },
        content: { ...json(thing), 'application/x-stream': {} },
      },
    },
  },
});

const pieces: OwnStreamCodec = {
  name: 'pieces',
  mediaTypes: ['application/x-stream'],
  isText: false,
  isStream: true,
  compile: () => ({
    encode: (items) => board.call('encode', () => items as AsyncIterable<Uint8Array>),
  }),
};

/** A stream without an item. */
const stream = () => ({
  [Symbol.asyncIterator]: () => ({
    next: () => board.call('next', () => Promise.resolve({ done: true, value: undefined })),
    return: () => board.call('return', () => Promise.resolve({ done: true, value: undefined })),
  }),
});

const nothing = () => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

interface Given {
  readonly body: { readonly name: string };
  readonly log: Logger;
}

function answerTo({ body, log }: Given): Promise<Answer> {
  log.info('a line');
  if (body.name === 'reject') return Promise.reject(new Error('a failure of the handler'));
  if (body.name === 'stream')
    return Promise.resolve({ status: 200, contentType: 'application/x-stream', body: stream() });
  if (body.name === 'undocumented') return Promise.resolve({ status: 404 });
  const answer = {
    status: 200,
    headers: { 'X-Count': 1 },
    body: board.readings('body', { name: body.name }),
  };
  if (body.name === 'hold') {
    return new Promise((resolve) => {
      held = () => {
        resolve(answer);
      };
    });
  }
  return Promise.resolve(board.readings('answer', answer));
}

const strategy = {
  authenticate(this: { success(who: unknown): void; fail(challenge: string): void }, given: object): unknown {
    return board.call<unknown>('strategy', () => {
      const [, token] = String(Reflect.get(Reflect.get(given, 'headers') as object, 'authorization')).split(
        ' ',
      );
      if (token === 'good') this.success({ name: 'somebody' });
      else this.fail('Bearer');
      return undefined;
    });
  },
};

const options: ServiceOptions<OperationalKind> = {
  document: DOCUMENT,
  codecs: [pieces],
  handlers: { postThing: (request) => board.call('handler', () => answerTo(request)) },
  strategies: { bearerAuth: strategy },
  toProblem: (error) => board.call('toProblem', () => toProblem(error)),
  render: (problem) =>
    board.call('render', () => board.readings('rendered', { headers: {}, ...renderPlain(problem) })),
  bodyLimit: 1_000,
  maxRequests: 1,
  deadline: DEADLINE,
  headers: { 'X-Content-Type-Options': 'nosniff' },
  requestIdOf: () => board.call('requestIdOf', () => 'a-request'),
  stubs: false,
  reserved: '/-/',
  afterAuthentication: () =>
    board.call('afterAuthentication', () => board.readings('headers', { 'X-Policy': 'a' })),
  beforeHandler: () => {
    const returned = board.call<unknown>('beforeHandler', () => undefined);
    return returned as Promise<void>;
  },
  loggerFor: () => board.call('loggerFor', () => SILENT),
  afterResponse: () => board.call<Promise<void>>('afterResponse', () => Promise.resolve()),
  report: (outcome) => board.call<unknown>('report', () => reported.push(outcome)),
  reportFault: (error) => board.call<unknown>('reportFault', () => reported.push(error)),
};

const HEAD = 'POST /things HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const post = (text: string, more = 'Authorization: Bearer good\r\n') =>
  `${HEAD}${more}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
const named = (name: string) => JSON.stringify({ name });
const SCENARIOS: readonly (readonly [string, string])[] = [
  ['an answer', post(named('a'))],
  ['a body that is asked for', post(named('a'), 'Authorization: Bearer good\r\nExpect: 100-continue\r\n')],
  ['no credentials', post(named('a'), '')],
  ['bad credentials', post(named('a'), 'Authorization: Bearer bad\r\n')],
  ['a body that does not conform', post('{}')],
  ['a body that is too large', `${HEAD}Authorization: Bearer good\r\nContent-Length: 2000\r\n\r\n`],
  ['a path that is not there', 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a handler that rejects', post(named('reject'))],
  ['an undocumented answer', post(named('undocumented'))],
  ['malformed HTTP', 'hello\r\n\r\n'],
  // Of HTTP/1.0, which has no chunks.
  ['a stream', post(named('stream')).replace('HTTP/1.1', 'HTTP/1.0')],
];

/** The fault that makes the service call this site. */
function beforeIt(site: string): [string, Act][] {
  const fail = () => raise(new Error('the first failure'));
  if (site === 'stderr 0') return [...beforeIt('reportFault 0'), ['reportFault 0', fail]];
  return site === 'reportFault 0' ? [['report 0', fail]] : [];
}

function start() {
  const app = express().disable('x-powered-by');
  app.use((request, response, next) => {
    board.wrap('request', request, ['on', 'off', 'pause', 'resume']);
    board.wrap('response', response, [
      'on',
      'getHeader',
      'once',
      'writeHead',
      'flushHeaders',
      'write',
      'end',
      'writeContinue',
    ]);
    next();
  });
  app.use(createService(options));
  const render = options.render;
  const server = createHttpServer(app, (problem) => render(problem), LIMITS, undefined, options.reportFault);
  return new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Sends bytes and returns the outcome, which must follow within this time after the deadline. */
async function ask(port: number, bytes: string): Promise<{ outcome: string; headers: string[] }> {
  const late = pause(20 * DEADLINE).then(() => undefined);
  const replies = await Promise.race([exchange(port, bytes).catch((error: unknown) => String(error)), late]);
  if (replies === undefined) return { outcome: 'hangs', headers: [] };
  if (typeof replies === 'string') return { outcome: replies, headers: [] };
  const [reply] = replies;
  if (!reply) return { outcome: 'closed', headers: [] };
  const headers = Object.keys(reply.headers);
  try {
    const body = JSON.parse(reply.body) as { error?: number };
    return {
      outcome: body.error === undefined ? String(reply.status) : `${reply.status}/${body.error}`,
      headers,
    };
  } catch {
    return { outcome: `${reply.status} with the body ${JSON.stringify(reply.body)}`, headers };
  }
}

/** Whether an error is among the reports or their causes. */
function contains(value: unknown, wanted: unknown, depth = 0): boolean {
  if (value === wanted || wanted === hostile) return true; // any access to it throws another error
  if (value === hostile || typeof value !== 'object' || value === null || depth > 5) return false;
  return ['problem', 'cause', 'errors'].some((key) => contains(Reflect.get(value, key), wanted, depth + 1));
}

/**
 * Asserts that the only slot is free: a waiting handler takes it, and the next request is refused. On a busy machine
 * the deadline may pass meanwhile, so the check repeats. A lost slot stays lost.
 */
async function places(port: number): Promise<string[]> {
  let got = '';
  for (let attempt = 0; attempt < 3; attempt++) {
    const first = ask(port, post(named('hold')));
    const until = Date.now() + DEADLINE;
    while (!held && Date.now() < until) await pause(1);
    const second = await ask(port, post(named('a')));
    held?.();
    held = undefined;
    got = [(await first).outcome, second.outcome].join();
    if (got === '200,503/50300') return [];
  }
  return [`places: ${got}`];
}

/** Runs every scenario whose index leaves the remainder `part` of `parts`. */
async function main(part: number, parts: number): Promise<void> {
  const port = await start();
  const rows: Row[] = [];
  for (const [scenario, bytes] of SCENARIOS.filter((_, index) => index % parts === part)) {
    board.arm();
    const plain = await ask(port, bytes);
    const sites = [...new Set([...board.sites(), 'reportFault 0', 'stderr 0'])];
    for (const site of sites) {
      for (const [fault, act] of faultsOf(site.split(' ')[0] ?? '')) {
        reported = [];
        uncaught = [];
        board.arm(...beforeIt(site), [site, act]);
        const { outcome, headers } = await ask(port, bytes);
        const fired = board.fired;
        board.arm();
        const refused = /^\d{3}\/\d{5}$|^closed$/.test(outcome);
        const wrong = [
          ...(outcome === plain.outcome || refused ? [] : [`the answer is ${outcome}`]),
          ...(headers.includes('x-injected') ? ['a header was injected'] : []),
          ...(await places(port)),
        ];
        await pause(fault.includes('stream') ? 5 : 0);
        wrong.push(...uncaught.map((error) => `uncaught: ${error === hostile ? 'Proxy' : String(error)}`));
        const thrown = THROWN.find(([name]) => fault.endsWith(name));
        const mustReport =
          fired && site !== 'stderr 0' && thrown && !fault.includes('returns') && thrown[1] !== undefined;
        if (mustReport && !reported.some((value) => contains(value, thrown[1])))
          wrong.push('the cause was not reported');
        if (fired) rows.push({ scenario, site, fault, outcome, wrong });
      }
    }
  }
  process.stdout.write(JSON.stringify(rows), () => process.exit());
}

const [part, parts] = process.argv.slice(2).map(Number);
void main(part ?? 0, parts ?? 1);
