/**
 * The rules for imports between modules (folders and top-level files). `make check` enforces them; `make modules` draws them.
 *
 * Imports point to lower modules only. Outside of the core, only src/contract/index.ts may be imported.
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
  'handler-types.ts': ['http', 'security', 'exchange'],
  'sender-types.ts': ['handler-types.ts'],
};

/** The modules of the toolchain. */
const TOOLCHAIN = {
  'command.ts': [],
  'paths.ts': ['command.ts'],
  'jobs.ts': ['command.ts', 'paths.ts'],
  'load.ts': ['command.ts', 'paths.ts'],
  'node-version.cjs': [],
  compiler: ['generate', 'paths.ts'],
  gate: ['command.ts', 'compiler', 'paths.ts'],
  pack: ['new', 'paths.ts'],
  source: [],
  publish: ['source', 'load.ts', 'paths.ts'],
  breaking: ['command.ts', 'publish', 'source', 'load.ts', 'paths.ts'],
  generate: ['command.ts', 'breaking', 'publish', 'source', 'paths.ts'],
  mock: ['command.ts', 'breaking', 'publish', 'source', 'load.ts', 'paths.ts'],
  client: ['command.ts', 'mock', 'publish', 'source', 'paths.ts'],
  dev: ['command.ts', 'compiler', 'generate', 'source', 'load.ts', 'paths.ts'],
  prove: ['command.ts', 'generate', 'publish', 'source', 'load.ts'],
  new: ['command.ts', 'generate', 'mock', 'publish', 'source', 'paths.ts'],
  'verbs.ts': [
    'command.ts',
    'breaking',
    'client',
    'dev',
    'gate',
    'generate',
    'jobs.ts',
    'mock',
    'new',
    'paths.ts',
    'prove',
    'upgrade.ts',
  ],
  'cli.ts': ['command.ts', 'paths.ts', 'verbs.ts'],
  'commands-page.ts': ['command.ts', 'paths.ts', 'verbs.ts'],
};

/** A folder of src/ that is not a module of its own belongs to the domain. */
const DOMAIN = '(?!(?:contract|database|handlers|kysely|runtime|storage)/)[^/]+/';

/** The modules of the service, which depend on the domain. */
const SERVICE = {
  database: [],
  kysely: ['database'],
  domain: ['database'],
  storage: ['domain', 'database'],
  'errors.ts': ['contract', 'database', 'runtime'],
  'auth.ts': ['runtime'],
  'extensions.ts': ['contract'],
  'config.ts': ['auth.ts', 'runtime'],
  'dependencies.ts': ['config.ts', 'domain', 'storage', 'database', 'runtime'],
  handlers: ['domain', 'errors.ts', 'auth.ts', 'dependencies.ts', 'contract'],
  runtime: ['contract', 'database'],
  'seed.ts': ['config.ts', 'dependencies.ts', 'runtime'],
  'app.ts': ['contract', 'dependencies.ts', 'errors.ts', 'extensions.ts', 'handlers', 'runtime'],
};

function pathOf(base, module) {
  if (module === 'domain') return `^${base}/${DOMAIN}`;
  return module.includes('.') ? `^${base}/${module.replace('.', '\\.')}$` : `^${base}/${module}/`;
}

const modules = (base, table) =>
  Object.entries(table).map(([module, below]) => ({
    name: `${base}/${module}`,
    severity: 'error',
    comment: `It may import ${below.length === 0 ? 'no other module' : below.join(', ')}. Move the shared code into a module below both, or pass it as an argument.`,
    from: { path: pathOf(base, module) },
    to: { path: `^${base}/`, pathNot: [module, ...below].map((name) => pathOf(base, name)) },
  }));

const boundary = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

const packages = (...names) => ({ path: names.map((name) => `node_modules/(@types/)?${name}/`) });
const WEB = ['express', 'express-openapi-validator', 'passport', 'passport-http-bearer'];
/** What each engine comes from, by its folder in src/database/: a module of Node or a package. */
const ENGINES = { sqlite: { path: '^(node:)?sqlite$' }, postgres: packages('pg') };

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    boundary('circle', 'Move the shared code into a third file.', {}, { circular: true }),
    ...modules('src/contract', CORE),
    ...modules('src', SERVICE),
    ...modules('scripts', TOOLCHAIN),
    boundary(
      'the core stands alone',
      'src/contract/ depends on OpenAPI and HTTP only. Pass values of the service through an option of createService.',
      { path: '^src/contract/' },
      { path: '^(src|scripts|tests|generated|openapi)/', pathNot: '^src/contract/' },
    ),
    boundary(
      'index of the core',
      'Import src/contract. Anything that its index.ts does not export is internal.',
      {
        path: '^(src|scripts|tests)/',
        pathNot: [
          '^src/contract/',
          '^tests/unit/contract/',
          '^tests/support/(authentication|parameters)\\.ts$',
        ],
      },
      { path: '^src/contract/', pathNot: '^src/contract/index\\.ts$' },
    ),
    boundary(
      'one way to the validator',
      'Only schema/validator.ts may import internals of express-openapi-validator, whose version is pinned.',
      { path: '^src/', pathNot: '^src/contract/schema/validator\\.ts$' },
      packages('express-openapi-validator'),
    ),
    boundary(
      'no web in the domain',
      'Handlers, domain and stores do not depend on HTTP. Move this code into the core or runtime/.',
      { path: '^src/(handlers|plants|storage)/' },
      packages(...WEB),
    ),
    boundary(
      'databases stand alone',
      'src/database/ does not depend on a domain. Pass the schema and the statements of the store as arguments.',
      { path: '^src/database/' },
      { path: '^(src|scripts|tests|generated|openapi)/', pathNot: '^src/database/' },
    ),
    boundary(
      'index of the databases',
      'Import src/database. Anything that its index.ts does not export is internal.',
      {
        path: '^(src|scripts|tests)/',
        pathNot: [
          '^src/database/',
          '^src/kysely/',
          '^tests/(unit/(database|storage)|system/sqlite)/',
          '^tests/support/(databases|third-driver)\\.ts$',
        ],
      },
      { path: '^src/database/', pathNot: '^src/database/index\\.ts$' },
    ),
    boundary(
      'runtime/ stands alone',
      'src/runtime/ runs any service. Pass what is of one service as an argument.',
      { path: '^src/runtime/' },
      { path: '^(scripts|tests|generated|openapi)/' },
    ),
    boundary(
      'index of runtime/',
      'Import src/runtime. Anything that its index.ts does not export is internal.',
      { path: '^(src|scripts|tests)/', pathNot: ['^src/runtime/', '^tests/unit/runtime/'] },
      { path: '^src/runtime/', pathNot: '^src/runtime/index\\.ts$' },
    ),
    boundary(
      'engines stand apart',
      'Only drivers.ts knows the engines, and none knows another. Move the shared code into a file of src/database/.',
      { path: '^src/database/', pathNot: '^src/database/(drivers\\.ts$|[^/]+/)' },
      { path: '^src/database/[^/]+/' },
    ),
    boundary(
      'engines stand apart',
      'An engine uses the shared files of src/database/, and no other engine.',
      { path: '^src/database/([^/]+)/' },
      { path: '^src/database/[^/]+/', pathNot: '^src/database/$1/' },
    ),
    ...Object.entries(ENGINES).map(([folder, engine]) =>
      boundary(
        'drivers in databases',
        `Only src/database/${folder}/ imports its engine. Use openDatabase.`,
        { path: '^src/', pathNot: `^src/database/${folder}/` },
        engine,
      ),
    ),
    boundary(
      'Kysely is optional',
      'A service without Kysely runs too. Only src/kysely/ imports it, and nothing of the package imports src/kysely/.',
      { path: '^(src|scripts)/', pathNot: '^src/kysely/' },
      { path: ['^src/kysely/', ...packages('kysely').path] },
    ),
    boundary(
      'toolchain without tests',
      'scripts/ is the toolchain. Move a program that needs the tests into tests/system/.',
      { path: '^scripts/' },
      { path: '^tests/' },
    ),
    boundary(
      'the prover stands alone',
      'The prover tests any server, so it imports none. Pass the target as an argument. It shares only what a command is, and the sampler of patterns, whose texts its own oracle judges.',
      { path: '^scripts/prove/', pathNot: '^scripts/prove/(service/|index\\.ts$|schema/strings\\.ts$)' },
      {
        path: '^(src|scripts|generated|tests)/',
        pathNot: '^scripts/(command\\.ts$|prove/(?!service/|index\\.ts$))',
      },
    ),
    boundary(
      'index of the prover',
      'Import scripts/prove. Anything that its index.ts does not export is internal, but for the programs of its two commands and their options, and two files that load none of the others, for tests of servers.',
      {
        path: '^(src|scripts|tests)/',
        pathNot: ['^scripts/prove/', '^tests/prove/'],
      },
      {
        path: '^scripts/prove/',
        pathNot: '^scripts/prove/(index|options|service/(contract|listen|test-credentials|todo))\\.ts$',
      },
    ),
    boundary(
      'the prover is for any service',
      'scripts/prove/service/ makes any service of the package a target. Pass what is of one service as an argument.',
      { path: '^scripts/prove/service/' },
      { path: '^(src|generated)/', pathNot: '^src/(contract|database|runtime)/index\\.ts$' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|reports|scripts/new/layout)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    reporterOptions: { archi: { collapsePattern: '^src/contract/[^/]+|^(src|scripts|tests)/[^/]+' } },
  },
};
