import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { keepFolder, ownFolder, useFolder } from '../../scripts/testing/folder';
import { MAJOR, oldNode, pretend } from '../../scripts/testing/old-node';
import { startProcess } from '../../scripts/testing/process';
import { buildDocument } from '../../scripts/testing/service';

/** The server as it is built. A program in a temporary folder does not find it by its name. */
const SERVER = join(__dirname, '../../packages/server/dist');

/** A service that says what it opens and closes. `FAULT` names the step that fails. */
const SERVICE = `
  const runtime = require(${JSON.stringify(join(SERVER, 'runtime'))});
  const fault = process.env.FAULT;
  const { PLAIN_ERRORS } = require(${JSON.stringify(join(SERVER, 'tools'))});
  const failAt = (step) => { if (fault === step) throw new runtime.InvalidConfig(step + ' fails'); };
  const part = async (name) => {
    failAt(name);
    console.log('open ' + name);
    return { close: async () => { console.log('close ' + name); failAt('close ' + name); } };
  };
  runtime.runService({
    readConfig: () => runtime.readEnvironment(process.env, (variables) => ({
      ...runtime.readServerConfig(variables),
      credentials: runtime.readCredentials({}, variables),
    })),
    document: process.env.DOCUMENT,
    errors: PLAIN_ERRORS,
    open: () => runtime.openInOrder(async (open) => ({ store: await open(part('store')), mail: await open(part('mail')) })),
    createApp: (_, options) => {
      failAt('application');
      const handlers = { postThing: () => Promise.resolve({ status: 204 }) };
      return runtime.createApp({ handlers, errors: PLAIN_ERRORS }, options);
    },
  });`;

const kept = keepFolder();
const PROGRAM = join(kept, 'service.js');
writeFileSync(PROGRAM, SERVICE);
const DOCUMENT = join(kept, 'openapi.json');
const any = { description: '', content: { 'application/json': { schema: {} } } };
const responses = { 204: { description: '' }, '4XX': any, '5XX': any };
writeFileSync(DOCUMENT, JSON.stringify(buildDocument({ operation: { responses } })));

const start = (env: Readonly<Record<string, string>>, args: readonly string[] = ['-e', SERVICE]) =>
  startProcess(args, { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'error', DOCUMENT, ...env });
const linesOf = (output: string) => output.trim().split('\n');
const STARTED = ['open store', 'open mail'];
const CLOSED = ['close mail', 'close store'];

test('a server says where its documentation is', async () => {
  const server = start({});
  const [, page = ''] = await server.printed(/listening on \S+ \(documentation: (\S+)\)/);
  expect((await fetch(page)).status).toBe(200);
  await server.stop();
});

test('at its end a server closes what it opened, in the opposite order', async () => {
  const server = start({});
  await server.printed(/listening on/);
  expect(await server.stop()).toBe(0);
  expect(linesOf(server.output()).filter((line) => !line.startsWith('{'))).toEqual([...STARTED, ...CLOSED]);
});

const taken = createServer();
beforeAll(() => new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve)));
afterAll(() => taken.close());
const inUse = () => String((taken.address() as AddressInfo).port);

test.each<[string, () => Record<string, string>, RegExp, string[]]>([
  ['the first', () => ({ FAULT: 'store' }), /^store fails$/, []],
  ['the second', () => ({ FAULT: 'mail' }), /^mail fails$/, ['open store', 'close store']],
  ['the application', () => ({ FAULT: 'application' }), /^application fails$/, [...STARTED, ...CLOSED]],
  ['the listener', () => ({ PORT: inUse() }), /^PORT: port \d+ is already in use/, [...STARTED, ...CLOSED]],
  ['the probes', () => ({ OPS_PORT: inUse() }), /^OPS_PORT: port \d+ is already in use/, []],
])(
  'if %s cannot be opened, a server closes the others, and exits with the reason',
  async (_, env, reason, order) => {
    const server = start(env());
    expect(await server.exit).toBe(1);
    const lines = linesOf(server.output()).filter((line) => !line.startsWith('{'));
    expect(lines.filter((line) => /^(open|close) /.test(line))).toEqual(order);
    expect(lines.filter((line) => !/^(open|close) /.test(line))).toEqual([expect.stringMatching(reason)]);
  },
);

test.each<[string, string, number, string, string[]]>([
  ['a service without a database', 'none', 1, 'backup: the service has no database', [...STARTED, ...CLOSED]],
  ['a service that cannot open', 'mail', 2, 'mail fails', ['open store', 'close store']],
])('a backup of %s ends with the reason', async (_, FAULT, status, reason, order) => {
  const program = start({ FAULT }, [PROGRAM, 'backup', 'monday.db']);
  expect(await program.exit).toBe(status);
  expect(linesOf(program.output())).toEqual([...order, reason]);
});

test('a part that does not close lets the others close, and is an error of the server', async () => {
  const server = start({ FAULT: 'close mail' });
  await server.printed(/listening on/);
  expect(await server.stop()).toBe(1);
  expect(server.output()).toMatch(/close mail\nclose store\n[^]*close mail fails/);
});

test('a server loads none of what only some servers need', async () => {
  const list = `process.once('exit', () => {
    const builtin = process.moduleLoadList.map((name) => name.replace('NativeModule ', 'node:'));
    const packages = Object.keys(require.cache).map((file) => /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(file.replaceAll('\\\\', '/'))?.[1]);
    console.log([...new Set([...builtin, ...packages])].join('\\n'));
  });`;
  const server = start({}, ['-e', list + SERVICE]);
  await server.printed(/listening on/);
  await server.stop();
  const loaded = linesOf(server.output());
  expect(loaded).toEqual(expect.arrayContaining(['node:http', 'express', 'ajv']));
  const rare = [
    'node:tls',
    '@modelcontextprotocol/server',
    '@redis/client',
    'jose',
    'pg',
    'pino-pretty',
    'rate-limiter-flexible',
    'yaml',
  ];
  expect(rare.filter((name) => loaded.includes(name))).toEqual([]);
});

describe('a server keeps its compiled code beside main.js', () => {
  const folder = useFolder();
  const run = async (name: string) => {
    const server = start({ NODE_COMPILE_CACHE: '' }, [folder.write({ [name]: SERVICE })]);
    await server.printed(/listening on/);
    expect(await server.stop()).toBe(0);
    return linesOf(server.output()).filter((line) => !line.startsWith('{'));
  };

  test('for its next start', async () => {
    await run('main.js');
    expect(readdirSync(folder.path('.cache'), { recursive: true }).length).toBeGreaterThan(100);
  });

  test('unless its Node is too old, which it says', async () => {
    const main = folder.write({ 'main.js': SERVICE });
    const server = start({}, ['--import', pretend('20.20.2'), main]);
    expect(await server.exit).toBe(2);
    expect(server.output()).toBe(oldNode('20.20.2', `npx -y -p node@${MAJOR} node ${main}`));
  });

  test('but no other program does', async () => {
    await run('other.js');
    expect(readdirSync(folder.path(''))).toEqual(['other.js']);
  });

  test('and starts in silence where it cannot write', async () => {
    folder.write({ '.cache': 'no folder' });
    expect(await run('main.js')).toEqual([...STARTED, ...CLOSED]);
  });
});

test('the stack of an error has places in the sources of the service, and in the files of packages', async () => {
  const folder = ownFolder();
  const mapped = (source: string) => {
    const map = { version: 3, sources: [source], names: [], mappings: 'AAAA' };
    const url = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
    return `module.exports = new Error('from ${source}');\n//# sourceMappingURL=${url}`;
  };
  mkdirSync(join(folder, 'node_modules'));
  writeFileSync(join(folder, 'own.js'), mapped('own.ts'));
  writeFileSync(join(folder, 'node_modules/other.js'), mapped('other.ts'));
  const show = `for (const { stack } of [require('./own'), require('other')]) console.log(stack);`;
  writeFileSync(join(folder, 'main.js'), SERVICE + show);
  const server = start({}, ['--enable-source-maps', join(folder, 'main.js')]);
  await server.printed(/listening on/);
  await server.stop();
  expect(server.output()).toMatch(/from own\.ts\n.*own\.ts:1/);
  expect(server.output()).toMatch(/from other\.ts\n.*other\.js:1/);
});
