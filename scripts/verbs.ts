/** The table of the commands. Each loads its program when it runs: the help of all is there without any tool. */
import type { Command, Options } from './command';
import { assertService } from './paths';
import { CONTRACT } from './prove/options';

const JSON_RESULT = {
  type: 'boolean',
  help: 'print the result as JSON, and notes to standard error',
} as const;
const ALL = { type: 'boolean', help: 'list every line: by default 20' } as const;
const AGAIN = {
  type: 'boolean',
  help: 'run also what has passed on the same files, as AGAIN=1 does',
} as const;
const OUTSIDE = { type: 'boolean', help: 'parts of the document may be outside of its folder' } as const;

const verb = <O extends Options>(command: Command<O>): Command<O> => command;

/** A command that works on the service in the current folder. */
const ofService = <O extends Options>(command: Command<O>): Command<O> => ({
  ...command,
  run(parsed) {
    assertService();
    return command.run(parsed);
  },
});

/** A program of the service, which serves nobody. */
const job = <O extends Options>(command: Omit<Command<O>, 'run'>): Command<O> =>
  ofService({
    ...command,
    run: async ({ values, positionals }) =>
      (await import('./jobs.js')).runJob(command.name, positionals, values),
  });

export const VERBS: readonly Command[] = [
  verb({
    name: 'new',
    usage: '[DOCUMENT] [options]',
    summary:
      'Lay out a service of its own from an OpenAPI document, install it, and prove it; without a document it asks',
    options: {
      dir: {
        type: 'string',
        value: 'FOLDER',
        help: 'where: a new folder, or one that is empty but for the document (the current one)',
      },
      name: { type: 'string', value: 'NAME', help: 'of the service (that of the folder)' },
      'allow-outside': OUTSIDE,
      package: {
        type: 'string',
        value: 'FILE',
        help: 'a built package of the toolchain (the one that runs this)',
      },
      modules: {
        type: 'string',
        value: 'FOLDER',
        help: 'installed packages to use, where there is no network',
      },
    },
    example: 'museum.yaml --dir museum',
    notes: `pnpm installs the service if pnpm starts it, else npm. LICENSE, README.md and .git may be in the folder, and stay. A failure removes what was written, and nothing else.`,
    run: async ({ values, positionals: [document] }) =>
      (await import('./new/main.js')).newService({
        document,
        dir: values.dir ?? '.',
        name: values.name ?? '',
        allowOutside: values['allow-outside'] ?? false,
        tarball: values.package,
        modules: values.modules,
      }),
  }),
  verb({
    name: 'mock',
    usage: 'DOCUMENT [options]',
    summary: 'Serve any OpenAPI document, with answers from its examples, or generated ones',
    options: { 'allow-outside': OUTSIDE },
    example: 'path/to/openapi.yaml',
    notes: `It reads the environment variables of every server, such as PORT and HOST, and API_TOKENS, whose tokens pass every
security scheme; CORS_ORIGINS is any by default.`,
    run: async ({ values, positionals: [document = ''] }) =>
      (await import('./mock/main.js')).mock(document, values['allow-outside']),
  }),
  ofService({
    name: 'generate',
    usage: '[options]',
    summary: 'Update generated/ and the stubs of handlers from openapi/; list the changes',
    options: {
      all: { type: 'boolean', help: 'list every line about the last change: by default 20' },
      check: { type: 'boolean', help: 'write nothing; the status is 1 if a file is stale' },
      json: JSON_RESULT,
    },
    example: '--all',
    run: async ({ values }) => (await import('./generate/main.js')).runGenerate(values),
  }),
  ofService({
    name: 'dev',
    usage: '[options]',
    summary: 'Serve while you edit: check every change, then replace the server',
    options: {},
    example: '',
    async run() {
      (await import('./dev/main.js')).dev();
      return undefined;
    },
  }),
  ofService({
    name: 'check',
    usage: '[options]',
    summary: 'Check types, lint, imports, format and generated/; list all findings',
    options: {
      only: {
        type: 'string',
        value: 'CHECKS',
        help: 'these only, separated by commas: code, boundaries, format, generated, quick, test, slow, browser',
      },
      again: AGAIN,
      json: JSON_RESULT,
    },
    example: '--only code,format',
    run: async ({ values }) => (await import('./gate/main.js')).runGate(values, values.only?.split(',')),
  }),
  ofService({
    name: 'test',
    usage: '[options]',
    summary: 'Build, and run every test',
    options: { again: AGAIN, json: JSON_RESULT },
    example: '--again',
    run: async ({ values }) => (await import('./gate/main.js')).runGate(values, ['test']),
  }),
  verb({
    ...CONTRACT,
    async run({ values, argv }) {
      if (values.url === undefined) assertService();
      return (await import('./prove/service/contract.js')).contract(argv, values.serve);
    },
  }),
  ofService({
    name: 'breaking',
    usage: 'GIT-REF [options]',
    summary:
      'List the changes in openapi/ that break a client of the contract at the last common commit of GIT-REF and HEAD',
    options: { all: ALL, json: JSON_RESULT },
    example: 'origin/main',
    failed: 2,
    notes: `To accept an intended break, add an entry to openapi/accepted-breaks.yaml:

  - change: '#/paths/~1things/post: the query parameter q is new and required'  # the line without \`breaking\`
    reason: why the break is intended, and what was agreed with the clients
    until: '2.0.0'  # the last version of the document (info.version) for which the entry holds

One line may stand for a class, the same sentence at many places. Its entry has the number of changes that it accepts, so that
none is accepted later without a look. A * is one step of the pointer:

  - change: '#/paths/*/*: the header parameter X-Tenant is new and required'
    reason: every client sends it since May
    until: '2.0.0'
    places: 57

An entry whose change the base has already is spent, which is a notice. Any other one that matches no change is an error, and
so is one that matches a change after its version. A new version of the document accepts nothing by itself.

Exit status: 0 no client breaks but as accepted, 1 one does or an entry is wrong, 2 the contracts cannot be compared.`,
    run: async ({ values, positionals: [ref = ''] }) =>
      (await import('./breaking/main.js')).runBreaking(ref, values.all),
  }),
  verb({
    name: 'client',
    usage: '[DOCUMENT] [options]',
    summary: 'Write a typed client of a document, by default of the service in the current folder',
    options: {
      out: {
        type: 'string',
        value: 'FILE',
        help: 'the file to write: client.ts by default, generated/client.ts in a service',
      },
      check: { type: 'boolean', help: 'write nothing; the status is 1 if the file is stale' },
      'allow-outside': OUTSIDE,
      json: JSON_RESULT,
    },
    example: 'path/to/openapi.yaml --out src/museum-client.ts',
    notes: 'The file needs no package: it calls fetch, in Node, Deno and browsers.',
    async run({ values, positionals: [document] }) {
      if (document === undefined) assertService();
      return (await import('./client/main.js')).writeClient(document, values);
    },
  }),
  ofService({
    name: 'todo',
    usage: '[options]',
    summary: 'List what is left to write',
    options: { json: JSON_RESULT },
    example: '--json',
    run: async () => (await import('./prove/service/todo.js')).todo(),
  }),
  ofService({
    name: 'upgrade',
    usage: '[PACKAGE] [options]',
    summary:
      'Put another version of contract-first-server into the service, with the tools that it was tested with',
    options: {},
    example: './contract-first-server-3.0.0.tgz',
    notes: `PACKAGE is a file, which goes to vendor/, or a version in the registry; by default the latest one. It is installed by npm,
pnpm or Yarn, as the lock file says; then generated/ is updated, and what is left to do is listed. Run it by the new package if
the old one does not know it: npx -y -p ./contract-first-server-3.0.0.tgz contract-first upgrade ./contract-first-server-3.0.0.tgz

Exit status: 0 nothing but reading and testing is left to do, 1 something is, 2 wrong arguments.`,
    run: async ({ positionals: [given] }) => (await import('./upgrade.js')).upgrade(given),
  }),
  job({
    name: 'migrate',
    usage: '[options]',
    summary: 'Apply the migrations that the database lacks, and list them',
    options: { json: JSON_RESULT },
    example: '',
  }),
  job({
    name: 'seed',
    usage: '[options]',
    summary: 'Fill the database of a developer: src/seed.ts',
    options: {},
    example: '',
  }),
  job({
    name: 'backup',
    usage: 'FILE [options]',
    summary: 'Copy the SQLite database while it is used',
    options: {},
    example: '/mnt/monday.db',
  }),
  job({
    name: 'restore',
    usage: 'FILE [options]',
    summary: 'Put a backup in the place of the SQLite database',
    options: {},
    example: '/mnt/monday.db',
  }),
];
