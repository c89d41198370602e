/** The table of the commands. Each loads its program when it runs: the help of all is there without any tool. */
import type { Command, Options } from './command';
import { assertService } from './paths';
import { CONTRACT } from './contract/options';

const JSON_RESULT = {
  type: 'boolean',
  help: 'print the result as JSON; notes go to standard error',
} as const;
const ALL = { type: 'boolean', help: 'list every line, not only the first 20' } as const;
const AGAIN = {
  type: 'boolean',
  help: 'also run what has already passed on the same files (like AGAIN=1)',
} as const;
const OUTSIDE = {
  type: 'boolean',
  help: 'allow references to files outside the folder of the document',
} as const;

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

/** The verbs as a person looks for them. */
export const GROUPS = {
  Start: ['new', 'mock'],
  Write: ['dev', 'generate', 'todo', 'client', 'upgrade'],
  Prove: ['check', 'test', 'contract', 'breaking'],
  Run: ['migrate', 'seed', 'backup', 'restore'],
};

export const VERBS: readonly Command[] = [
  verb({
    name: 'new',
    usage: '[DOCUMENT] [options]',
    summary: 'Create a standalone service from an OpenAPI document, install it and run its contract tests',
    options: {
      dir: {
        type: 'string',
        value: 'FOLDER',
        help: 'the folder to create it in; it may contain only the document (default: the current folder)',
      },
      name: {
        type: 'string',
        value: 'NAME',
        help: 'the name of the service (default: the name of the folder)',
      },
      with: {
        type: 'string',
        value: 'EXTRAS',
        help: 'also write deploy (Dockerfile, Kubernetes), github (CI) or vscode, separated by commas',
      },
      'allow-outside': OUTSIDE,
      packages: {
        type: 'string',
        value: 'FOLDER',
        help: 'install the package tarballs from this folder (default: those that this command carries)',
      },
      modules: {
        type: 'string',
        value: 'FOLDER',
        help: 'use the packages in this node_modules folder instead of the network',
      },
    },
    example: 'museum.yaml --dir museum',
    notes: `If you have no document, run it without one: it offers an example. The service is installed with pnpm if pnpm runs this command,
and with npm otherwise. LICENSE, README.md and .git may already be in the folder; they are kept. If the command fails, it removes
the files that it wrote and nothing else. If a check or a test of the new service fails, it keeps them, commits nothing, and exits
with status 1.`,
    run: async ({ values, positionals: [document] }) =>
      (await import('./new/main.js')).newService({
        document,
        dir: values.dir ?? '.',
        name: values.name ?? '',
        extras:
          values.with === undefined ? undefined : (await import('./new/extras.js')).readExtras(values.with),
        allowOutside: values['allow-outside'] ?? false,
        packages: values.packages,
        modules: values.modules,
      }),
  }),
  verb({
    name: 'mock',
    usage: 'DOCUMENT [options]',
    summary: 'Serve any OpenAPI document with responses from its examples, or generated ones',
    options: {
      'allow-outside': OUTSIDE,
      mcp: {
        type: 'boolean',
        value: 'all',
        help: 'serve the operations with safe methods as tools at /mcp; =all: also those with x-mcp: true',
      },
    },
    example: 'path/to/openapi.yaml',
    notes: `It reads the same environment variables as a service, such as PORT and HOST. A token in API_TOKENS is accepted by every security
scheme. CORS_ORIGINS allows every origin by default.`,
    run: async ({ values, positionals: [document = ''] }) =>
      (await import('./mock/main.js')).mock(document, values['allow-outside'], values.mcp),
  }),
  ofService({
    name: 'generate',
    usage: '[options]',
    summary: 'Update generated/ and the handler stubs from openapi/, and list the changes',
    options: {
      all: { type: 'boolean', help: 'list every line about the last change, not only the first 20' },
      check: { type: 'boolean', help: 'write nothing; exit with status 1 if a file is out of date' },
      json: JSON_RESULT,
    },
    example: '--all',
    run: async ({ values }) => (await import('./generate/main.js')).runGenerate(values),
  }),
  ofService({
    name: 'dev',
    usage: '[options]',
    summary: 'Serve while you edit: check every change, then restart the server',
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
    summary: 'Check types, lint, formatting and generated/, and list all findings',
    options: {
      only: {
        type: 'string',
        value: 'CHECKS',
        help: 'run only these, separated by commas: code, format, generated, test',
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
    summary: 'Build the service and run every test',
    options: { again: AGAIN, json: JSON_RESULT },
    example: '--again',
    run: async ({ values }) => (await import('./gate/main.js')).runGate(values, ['test']),
  }),
  verb({
    ...CONTRACT,
    async run({ values, argv }) {
      if (values.url === undefined) assertService();
      return (await import('./contract/contract.js')).contract(argv, values.serve);
    },
  }),
  verb({
    name: 'breaking',
    usage: 'OLD [NEW] [options]',
    summary: 'List the changes that break a client, between two documents or since a git ref',
    options: {
      all: ALL,
      today: {
        type: 'string',
        value: 'DATE',
        help: 'compare as of this day: a deprecated operation may be removed from its x-sunset on (default: today)',
      },
      'allow-outside': OUTSIDE,
      json: JSON_RESULT,
    },
    example: 'origin/main',
    failed: 2,
    notes: `With NEW, OLD and NEW are documents (files), of any service. Without it, OLD is a git ref: the document in openapi/ is compared
with the one at the last common commit of OLD and HEAD.

To accept an intended break since a git ref, add an entry to openapi/accepted-breaks.yaml:

  - change: '#/paths/~1things/post: the query parameter q is new and required'  # the line without \`breaking\`
    reason: why the break is intended, and what was agreed with the clients
    until: '2.0.0'  # the last version of the document (info.version) for which the entry holds

One entry can accept the same change in many places. It states how many, so that no later change is accepted unseen. A * stands for
one step of the pointer:

  - change: '#/paths/*/*: the header parameter X-Tenant is new and required'
    reason: every client sends it since May
    until: '2.0.0'
    places: 57

If OLD already contains the change, the entry is no longer needed, and a notice says so. Any other entry that matches no change
is an error, and so is an entry whose version has passed. Raising the version of the document accepts nothing by itself.

Exit status: 0 no unaccepted change breaks a client, 1 a change does or an entry is wrong, 2 the documents cannot be compared.`,
    async run({ values, positionals: [old = '', now] }) {
      if (now === undefined) assertService();
      return (await import('./breaking/main.js')).runBreaking(old, now, values);
    },
  }),
  verb({
    name: 'client',
    usage: '[DOCUMENT] [options]',
    summary: 'Generate a typed client for a document (default: that of the service in the current folder)',
    options: {
      out: {
        type: 'string',
        value: 'FILE',
        help: 'the file to write (default: client.ts, or generated/client.ts in a service)',
      },
      msw: {
        type: 'boolean',
        help: 'also write a module for MSW 3 beside it, such as client-msw.ts: handlers, and factories of values',
      },
      check: { type: 'boolean', help: 'write nothing; exit with status 1 if the file is out of date' },
      'allow-outside': OUTSIDE,
      json: JSON_RESULT,
    },
    example: 'path/to/openapi.yaml --out src/museum-client.ts',
    notes: 'The file has no dependencies: it uses fetch, in Node, Deno and browsers.',
    async run({ values, positionals: [document] }) {
      if (document === undefined) assertService();
      return (await import('./client/main.js')).writeClient(document, values);
    },
  }),
  ofService({
    name: 'todo',
    usage: '[options]',
    summary: 'List what remains to be written',
    options: { json: JSON_RESULT },
    example: '--json',
    run: async () => (await import('./contract/todo.js')).todo(),
  }),
  ofService({
    name: 'upgrade',
    usage: '[PACKAGE] [options]',
    summary: 'Upgrade the packages of a service, and rewrite its imports',
    options: {},
    example: './contract-first-3.0.0.tgz',
    notes: `PACKAGE is the file of a newer contract-first, or a version in the registry (default: the latest). The newer version does the
work: it puts its packages into vendor/ or takes them from the registry, installs them with npm, pnpm or Yarn, depending on the lock
file, rewrites the imports of src/, tests/ and scripts/, updates generated/, and lists what remains to be done. If the packages cannot
be installed, the service is unchanged.

A service whose contract-first is older than 3.0.0 is upgraded by the newer one:

  npx -y -p ./contract-first-3.0.0.tgz contract-first upgrade

Exit status: 0 only review and testing remain, 1 more remains to be done, 2 wrong arguments.`,
    run: async ({ positionals: [given] }) => (await import('./upgrade/main.js')).upgrade(given),
  }),
  job({
    name: 'migrate',
    usage: '[options]',
    summary: 'Apply pending database migrations and list them',
    options: { json: JSON_RESULT },
    example: '',
  }),
  job({
    name: 'seed',
    usage: '[options]',
    summary: 'Seed the development database (src/seed.ts)',
    options: {},
    example: '',
  }),
  job({
    name: 'backup',
    usage: 'FILE [options]',
    summary: 'Back up the SQLite database while the server runs',
    options: {},
    example: '/mnt/monday.db',
  }),
  job({
    name: 'restore',
    usage: 'FILE [options]',
    summary: 'Restore the SQLite database from a backup',
    options: {},
    example: '/mnt/monday.db',
  }),
];
