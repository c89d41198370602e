/**
 * The rules for imports between rooms (folders and top-level files). `make check` enforces them; `make rooms` draws them.
 *
 * Imports point to lower rooms only. Outside of the core, only src/contract/index.ts may be imported.
 */

/** The rooms of the core, the lowest first. Each may import itself and the rooms in its list. */
const CORE = {
  'problem.ts': [],
  json: [],
  pattern: [],
  http: ['json', 'problem.ts'],
  document: ['http'],
  operations: ['document', 'http'],
  schema: ['json', 'pattern', 'http', 'document', 'operations'],
  parameters: ['json', 'http', 'document', 'operations'],
  codecs: ['json', 'http', 'document', 'operations', 'parameters', 'problem.ts'],
  security: ['json', 'http', 'document', 'operations', 'problem.ts'],
  exchange: [
    'json',
    'http',
    'document',
    'operations',
    'schema',
    'parameters',
    'codecs',
    'security',
    'problem.ts',
  ],
  'compile.ts': ['json', 'document', 'operations', 'schema', 'codecs', 'security', 'exchange'],
  samples: [
    'json',
    'pattern',
    'http',
    'document',
    'operations',
    'schema',
    'parameters',
    'security',
    'exchange',
    'problem.ts',
  ],
  'pipeline.ts': ['http', 'operations', 'security', 'exchange', 'samples', 'compile.ts', 'problem.ts'],
  'http-server.ts': ['json', 'http', 'problem.ts'],
  'handler-types.ts': ['security', 'exchange'],
};

/** The rooms of the toolchain. */
const TOOLCHAIN = {
  'paths.ts': [],
  'load.ts': ['paths.ts'],
  'node-version.mjs': [],
  'cli.ts': [],
  compiler: [],
  gate: ['compiler', 'paths.ts'],
  pack: ['cli.ts', 'paths.ts'],
  source: [],
  publish: ['source', 'load.ts', 'paths.ts'],
  breaking: ['publish', 'source', 'paths.ts'],
  generate: ['breaking', 'publish', 'source', 'paths.ts'],
  mock: ['breaking', 'publish', 'source', 'paths.ts'],
  dev: ['compiler', 'generate', 'source', 'load.ts', 'paths.ts'],
  new: ['generate', 'mock', 'publish', 'source', 'paths.ts'],
};

/** A folder of src/ that is not a room of its own belongs to the domain. */
const DOMAIN = '(?!(?:contract|database|handlers|operational|storage)/)[^/]+/';

/** The rooms of the service, which depend on the domain. */
const SERVICE = {
  database: [],
  domain: ['database'],
  storage: ['domain', 'database'],
  'errors.ts': ['contract', 'database', 'operational'],
  'auth.ts': ['operational'],
  'extensions.ts': ['contract'],
  'config.ts': ['auth.ts', 'operational'],
  handlers: ['domain', 'errors.ts', 'auth.ts', 'contract'],
  operational: ['contract', 'database'],
  'app.ts': ['contract', 'errors.ts', 'extensions.ts', 'handlers', 'operational'],
};

function pathOf(base, room) {
  if (room === 'domain') return `^${base}/${DOMAIN}`;
  return room.includes('.') ? `^${base}/${room.replace('.', '\\.')}$` : `^${base}/${room}/`;
}

const rooms = (base, table) =>
  Object.entries(table).map(([room, below]) => ({
    name: `${base}/${room}`,
    severity: 'error',
    comment: `It may import ${below.length === 0 ? 'no other room' : below.join(', ')}. Move the shared code into a room below both, or pass it as an argument.`,
    from: { path: pathOf(base, room) },
    to: { path: `^${base}/`, pathNot: [room, ...below].map((name) => pathOf(base, name)) },
  }));

const wall = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

const packages = (...names) => ({ path: names.map((name) => `node_modules/(@types/)?${name}/`) });
const WEB = ['express', 'express-openapi-validator', 'passport', 'passport-http-bearer'];
const DRIVERS = ['better-sqlite3', 'pg'];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    wall('circle', 'Move the shared code into a third file.', {}, { circular: true }),
    ...rooms('src/contract', CORE),
    ...rooms('src', SERVICE),
    ...rooms('scripts', TOOLCHAIN),
    wall(
      'the core stands alone',
      'src/contract/ depends on OpenAPI and HTTP only. Pass values of the service through an option of createService.',
      { path: '^src/contract/' },
      { path: '^(src|scripts|tests|generated|openapi)/', pathNot: '^src/contract/' },
    ),
    wall(
      'index of the core',
      'Import src/contract. Anything that its index.ts does not export is internal.',
      {
        path: '^(src|scripts|tests)/',
        pathNot: [
          '^src/contract/',
          '^tests/unit/contract/',
          '^tests/support/(authentication|parameters|typed-client)\\.ts$',
          '^tests/engine/schema/strings\\.ts$',
        ],
      },
      { path: '^src/contract/', pathNot: '^src/contract/index\\.ts$' },
    ),
    wall(
      'one way to the validator',
      'Only document/openapi-schema.ts and schema/validator.ts may import internals of express-openapi-validator, whose version is pinned.',
      { path: '^src/', pathNot: '^src/contract/(document/openapi-schema|schema/validator)\\.ts$' },
      packages('express-openapi-validator'),
    ),
    wall(
      'no web in the domain',
      'Handlers, domain and stores do not depend on HTTP. Move this code into the core or operational/.',
      { path: '^src/(handlers|plants|storage)/' },
      packages(...WEB),
    ),
    wall(
      'databases stand alone',
      'src/database/ does not depend on a domain. Pass the schema and the statements of the store as arguments.',
      { path: '^src/database/' },
      { path: '^(src|scripts|tests|generated|openapi)/', pathNot: '^src/database/' },
    ),
    wall(
      'index of the databases',
      'Import src/database. Anything that its index.ts does not export is internal.',
      { path: '^(src|scripts|tests)/', pathNot: ['^src/database/', '^tests/unit/database/'] },
      { path: '^src/database/', pathNot: '^src/database/index\\.ts$' },
    ),
    wall(
      'operational/ stands alone',
      'src/operational/ runs any service. Pass what is of one service as an argument.',
      { path: '^src/operational/' },
      { path: '^(scripts|tests|generated|openapi)/' },
    ),
    wall(
      'index of operational/',
      'Import src/operational. Anything that its index.ts does not export is internal.',
      { path: '^(src|scripts|tests)/', pathNot: ['^src/operational/', '^tests/unit/operational/'] },
      { path: '^src/operational/', pathNot: '^src/operational/index\\.ts$' },
    ),
    wall(
      'drivers in databases',
      'Only src/database/ opens a database. Use openDatabase.',
      { path: '^src/', pathNot: '^src/database/(sqlite|postgres)' },
      packages(...DRIVERS),
    ),
    wall(
      'one driver a dialect',
      'A dialect imports only its own driver.',
      { path: '^src/database/sqlite' },
      packages('pg'),
    ),
    wall(
      'one driver a dialect',
      'A dialect imports only its own driver.',
      { path: '^src/database/postgres' },
      packages('better-sqlite3'),
    ),
    wall(
      'toolchain without tests',
      'scripts/ is the toolchain. Move a program that needs the tests into tests/system/.',
      { path: '^scripts/' },
      { path: '^tests/' },
    ),
    wall(
      'the engine stands alone',
      'The engine tests any server, so it imports none. Pass the target as an argument. It shares only the sampler of patterns, whose texts its own oracle judges.',
      { path: '^tests/engine/', pathNot: '\\.test\\.ts$' },
      {
        path: '^(src|scripts|generated)/|^tests/(?!engine/)',
        pathNot: '^src/contract/pattern/texts\\.ts$',
      },
    ),
    wall(
      'testing is for any service',
      'tests/testing/ belongs to the package. Pass what is of one service as an argument.',
      { path: '^tests/testing/' },
      {
        path: '^(src|scripts|generated|tests)/',
        pathNot:
          '^src/(contract|database|operational)/index\\.ts$|^tests/(engine|testing)/|^scripts/(publish/|source/|load\\.ts$)',
      },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|reports)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    reporterOptions: { archi: { collapsePattern: '^src/contract/[^/]+|^(src|scripts|tests)/[^/]+' } },
  },
};
