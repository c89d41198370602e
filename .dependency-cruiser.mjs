/**
 * The rules for imports. `make check` enforces them; `make modules` draws them. Imports point to lower modules only, and lead
 * into a package by its entries.
 */

/** What many modules of the core stand on. */
const MODEL = ['json', 'http', 'document', 'operations'];
const VALUES = [...MODEL, 'schema', 'parameters', 'codecs', 'problem.ts'];

/** The modules of the core, the lowest first. Each may import itself and the modules in its list. */
const CORE = {
  'problem.ts': [],
  json: [],
  pattern: [],
  http: ['json', 'problem.ts'],
  document: ['http'],
  operations: ['json', 'document', 'http'],
  schema: [...MODEL, 'pattern', 'problem.ts'],
  parameters: MODEL,
  codecs: [...MODEL, 'parameters', 'problem.ts'],
  security: [...MODEL, 'problem.ts'],
  exchange: [...VALUES, 'security'],
  'compile.ts': ['json', 'document', 'operations', 'schema', 'codecs', 'security', 'exchange'],
  samples: [...VALUES, 'pattern', 'security', 'exchange'],
  'pipeline.ts': ['http', 'operations', 'security', 'exchange', 'samples', 'compile.ts', 'problem.ts'],
  'http-server.ts': ['json', 'http', 'operations', 'exchange', 'problem.ts'],
  'webhooks.ts': [...VALUES, 'exchange', 'compile.ts'],
  'answers.ts': [...VALUES, 'exchange', 'compile.ts'],
  'handler-types.ts': ['http', 'security', 'exchange'],
  'sender-types.ts': ['handler-types.ts'],
};

/** The modules of the command. */
const COMMAND = {
  'command.ts': [],
  'memo.ts': [],
  'paths.ts': ['command.ts'],
  'jobs.ts': ['command.ts', 'paths.ts'],
  'load.ts': ['command.ts', 'paths.ts'],
  compiler: ['generate', 'paths.ts'],
  gate: ['command.ts', 'compiler', 'paths.ts'],
  document: ['load.ts', 'paths.ts'],
  breaking: ['command.ts', 'document', 'load.ts', 'paths.ts'],
  generate: ['command.ts', 'breaking', 'document', 'memo.ts', 'paths.ts'],
  mock: ['command.ts', 'breaking', 'document', 'load.ts', 'paths.ts'],
  client: ['command.ts', 'mock', 'generate', 'document', 'load.ts', 'paths.ts'],
  dev: ['command.ts', 'compiler', 'generate', 'document', 'load.ts', 'paths.ts'],
  contract: ['command.ts', 'generate', 'document', 'load.ts'],
  new: ['command.ts', 'generate', 'mock', 'document', 'memo.ts', 'paths.ts'],
  upgrade: ['command.ts', 'new', 'paths.ts'],
  'verbs.ts': [
    'command.ts',
    'breaking',
    'client',
    'contract',
    'dev',
    'gate',
    'generate',
    'jobs.ts',
    'mock',
    'new',
    'paths.ts',
    'upgrade',
  ],
  'cli.ts': ['command.ts', 'paths.ts', 'verbs.ts'],
  'commands-page.ts': ['command.ts', 'paths.ts', 'verbs.ts'],
};

/** A folder of src/ that is not a module of its own belongs to the domain. */
const DOMAIN = '(?!(?:handlers|storage)/)[^/]+/';

/** The modules of the service. */
const SERVICE = {
  domain: [],
  storage: ['domain'],
  'errors.ts': [],
  'auth.ts': [],
  'extensions.ts': [],
  'config.ts': ['auth.ts'],
  'dependencies.ts': ['config.ts', 'domain', 'storage'],
  handlers: ['domain', 'errors.ts', 'auth.ts', 'dependencies.ts'],
  'seed.ts': ['config.ts', 'dependencies.ts'],
  'app.ts': ['dependencies.ts', 'errors.ts', 'extensions.ts', 'handlers'],
};

/** The entries of the packages. */
const ENTRIES = {
  database: 'packages/database/src/index.ts',
  kysely: 'packages/database/src/kysely/index.ts',
  server: 'packages/server/src/contract/index.ts',
  runtime: 'packages/server/src/runtime/index.ts',
  tools: 'packages/server/src/tools.ts',
  prover: 'packages/prover/src/index.ts',
  service: 'packages/prover/src/service/index.ts',
  checks: 'packages/command/src/gate/checks.ts',
};
const entries = (...names) => `^(${names.map((name) => ENTRIES[name].replaceAll('.', '\\.')).join('|')})$`;

function pathOf(base, module) {
  if (module === 'domain') return `^${base}/${DOMAIN}`;
  return module.includes('.') ? `^${base}/${module.replace('.', '\\.')}$` : `^${base}/${module}/`;
}

const modules = (base, table, everywhere = []) =>
  Object.entries(table).map(([module, below]) => ({
    name: `${base}/${module}`,
    severity: 'error',
    comment: `It may import ${below.length === 0 ? 'no other module' : below.join(', ')}. Move the shared code into a module below both, or pass it as an argument.`,
    from: { path: pathOf(base, module) },
    to: { path: `^${base}/`, pathNot: [module, ...below, ...everywhere].map((name) => pathOf(base, name)) },
  }));

const boundary = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

/** What the sources of a part may import of this repository outside of themselves. */
const mayImport = (name, path, allowed, comment, pathNot = []) =>
  boundary(
    name,
    comment,
    { path, pathNot },
    { path: '^(src|packages|scripts|tests|generated)/', pathNot: [path, ...allowed] },
  );

const packages = (...names) => ({ path: names.map((name) => `node_modules/(@types/)?${name}/`) });
const WEB = ['express', 'express-openapi-validator', 'passport', 'passport-http-bearer'];
/** What each engine comes from, by its folder in packages/database/src/: a module of Node or a package. */
const ENGINES = { sqlite: { path: '^(node:)?sqlite$' }, postgres: packages('pg') };

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    boundary('circle', 'Move the shared code into a third file.', {}, { circular: true }),
    ...modules('packages/server/src/contract', { 'brand.ts': [], ...CORE }, ['brand.ts']),
    ...modules('packages/command/src', COMMAND),
    ...modules('src', SERVICE),
    mayImport('database', '^packages/database/src/', [], 'The databases stand alone.'),
    mayImport(
      'the core',
      '^packages/server/src/contract/',
      [],
      'The core depends on OpenAPI and HTTP only. Pass values of a service through an option of createService.',
    ),
    mayImport(
      'the server',
      '^packages/server/src/(?!contract/)',
      ['^packages/server/src/contract/(index|tools)\\.ts$', entries('database')],
      'It imports the core by its index.ts and tools.ts, and the databases by their entry.',
    ),
    mayImport(
      'the prover',
      '^packages/prover/src/(?!service/)',
      [],
      'The prover tests any server, so it imports none. It shares only the sampler of patterns, whose texts its own oracle judges.',
      ['^packages/prover/src/schema/strings\\.ts$'],
    ),
    mayImport(
      'the sampler of patterns',
      '^packages/prover/src/(?!service/)',
      [entries('tools')],
      'schema/strings.ts imports contract-first-server/tools.',
    ),
    mayImport(
      'the prover in a service',
      '^packages/prover/src/',
      [entries('database', 'server', 'runtime', 'tools')],
      'service/ makes any service a target. Pass what is of one service as an argument.',
      ['^packages/prover/src/(?!service/)'],
    ),
    mayImport(
      'the command',
      '^packages/command/src/',
      [entries('database', 'server', 'runtime', 'tools', 'prover', 'service')],
      'The command imports the other packages by their entries.',
    ),
    mayImport(
      'the service',
      '^src/',
      ['^generated/', entries('database', 'server', 'runtime')],
      'The service imports what created services import.',
    ),
    boundary(
      'tests and scripts',
      'Import the entries of a package, unless the test is its own. Some tests compare packages: they are listed in this rule.',
      {
        path: '^(scripts|tests|packages/([^/]+)/tests)/',
        pathNot: [
          // The prover and the server, or the command and the prover, side by side.
          '^packages/command/tests/contract/(command\\.test|endless-run)\\.ts$',
          '^packages/prover/tests/document/discriminator\\.test\\.ts$',
          '^packages/command/tests/http/mock\\.test\\.ts$',
          // Programs for maintainers.
          '^scripts/(mutants|pack|sqlite)/',
          '^scripts/documents/written\\.ts$',
          // What more than one package tests generated types by.
          '^scripts/testing/compile\\.ts$',
          // What more than one package tests a third driver by.
          '^(scripts/testing/(databases|migrator)|tests/storage/(open|sqlite)\\.test)\\.ts$',
        ],
      },
      {
        path: '^packages/[^/]+/(src|tests)/',
        pathNot: ['^packages/$2/', entries(...Object.keys(ENTRIES))],
      },
    ),
    boundary(
      'one way to the validator',
      'Only schema/validator.ts may import internals of express-openapi-validator, whose version is pinned.',
      {
        path: '^(src|packages/[^/]+/src)/',
        pathNot: '^packages/server/src/contract/schema/validator\\.ts$',
      },
      packages('express-openapi-validator'),
    ),
    boundary(
      'no web in the domain',
      'Handlers, domain and stores do not depend on HTTP. Move this code into the core or the runtime.',
      { path: '^src/(handlers|plants|storage)/' },
      packages(...WEB),
    ),
    boundary(
      'no core in the domain',
      'Domain and stores do not depend on HTTP. Move this code into a handler.',
      { path: '^src/(?!handlers/)[^/]+/' },
      { path: entries('server', 'runtime', 'tools') },
    ),
    boundary(
      'engines stand apart',
      'Only drivers.ts knows the engines, and none knows another. Move the shared code into a file of packages/database/src/.',
      { path: '^packages/database/src/', pathNot: '^packages/database/src/(drivers\\.ts$|[^/]+/)' },
      { path: '^packages/database/src/[^/]+/' },
    ),
    boundary(
      'engines stand apart',
      'An engine uses the shared files of packages/database/src/, and no other engine.',
      { path: '^packages/database/src/([^/]+)/' },
      { path: '^packages/database/src/[^/]+/', pathNot: '^packages/database/src/$1/' },
    ),
    ...Object.entries(ENGINES).map(([folder, engine]) =>
      boundary(
        'drivers in databases',
        `Only packages/database/src/${folder}/ imports its engine. Use openDatabase. (The prover empties databases of tests.)`,
        {
          path: '^(src|packages/[^/]+/src)/',
          pathNot: [`^packages/database/src/${folder}/`, '^packages/prover/src/service/test-database\\.ts$'],
        },
        engine,
      ),
    ),
    boundary(
      'Kysely is optional',
      'A service without Kysely runs too. Only kysely/ imports it, and nothing of the packages imports kysely/.',
      { path: '^(src|packages/[^/]+/src)/', pathNot: '^packages/database/src/kysely/' },
      { path: ['^packages/database/src/kysely/', ...packages('kysely').path] },
    ),
    boundary(
      'the protocol of tools is optional',
      'A service without MCP has no package of it. Only mcp/ imports it, and runtime/mcp.ts loads that on demand.',
      { path: '^(src|packages/[^/]+/src)/', pathNot: '^packages/server/src/mcp/' },
      {
        path: ['^packages/server/src/mcp/', ...packages('@modelcontextprotocol').path],
        dependencyTypesNot: ['type-only'],
      },
    ),
    boundary(
      'declared',
      'Add the package to the dependencies in the package.json of this package: where it is installed, nothing else is.',
      { path: '^packages/[^/]+/src/' },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown'], pathNot: '^node:' },
    ),
    boundary(
      'declared for production',
      'Move the package from devDependencies to dependencies. (The command finds the tools of a service in the service.)',
      {
        path: '^packages/(database|server|prover)/src/',
        pathNot: '^packages/(database/src/kysely|server/src/mcp)/',
      },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'npm'] },
    ),
    boundary(
      'packages by their names',
      'Import the package by its name. A path leads to nothing once the package is installed alone.',
      { path: '^(src|packages/([^/]+)/src)/' },
      {
        path: '^packages/',
        pathNot: '^packages/$2/',
        dependencyTypes: ['local'],
        dependencyTypesNot: ['aliased'],
      },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: {
      path: [
        '^(dist|reports)/',
        '^packages/[^/]+/dist/',
        '^packages/command/layout/',
        '/e2e/new-service/',
        '^packages/server/node-version\\.(d\\.cts|cjs)$', // which imports nothing of the project
      ],
    },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['@contract-first/source', 'types', 'import', 'require', 'node', 'default'],
      extensions: ['.ts', '.mts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
    reporterOptions: {
      archi: { collapsePattern: '^packages/server/src/contract/[^/]+|^(src|scripts|tests)/[^/]+' },
    },
  },
};
