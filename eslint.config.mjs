import tseslint from 'typescript-eslint';

/**
 * The walls of the house: imports point down only.
 *
 *   main        -> app, handlers, config, storage/open, operational
 *   app         -> handlers (types), errors, contract, operational
 *   handlers    -> plants, errors, auth (types), contract (types)
 *   storage/*   -> plants, store, and its own driver
 *   operational -> errors, store, contract (types)
 *   plants      -> store
 *   contract    -> libraries only
 */
const wall = (files, group, message, ignores = []) => ({
  files,
  ignores,
  rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] },
});

const validator = ['express-openapi-validator*'];
const web = ['express', ...validator, 'passport*', 'node:http'];
const drivers = ['better-sqlite3', 'pg'];
const aboveStorage = [
  'app',
  'auth',
  'config',
  'contract',
  'errors',
  'handlers',
  'main',
  'operational',
].flatMap((name) => [`../${name}`, `../${name}/*`]);
const CONTRACT =
  'contract/ knows OpenAPI and HTTP, nothing of this service; only its validator.ts reaches into express-openapi-validator.';
const STORE = 'a store knows the domain and its own driver.';
const ownDrivers = ['src/storage/sqlite*', 'src/storage/postgres*'];

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'generated/',
      'reports/',
      'node_modules/',
      '.node/',
      '.cache/',
      'tests/e2e/library/',
      'tests/support/fixture/',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
    },
  },
  { files: ['**/*.mjs'], ...tseslint.configs.disableTypeChecked },
  {
    files: ['src/**'],
    ignores: ['src/config.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'src/config.ts is the only reader of the environment.',
        },
      ],
    },
  },
  wall(['src/contract/*.ts'], ['../*', ...validator, ...drivers], CONTRACT, [
    'src/contract/schema/validator.ts',
  ]),
  wall(['src/contract/*/**'], ['../../*', ...validator, ...drivers], CONTRACT),
  wall(['src/contract/schema/validator.ts'], ['../*', ...drivers], CONTRACT),
  wall(
    ['src/handlers/**'],
    [...web, ...drivers, '../storage/*', '../app', '../config', '../main'],
    'a handler knows plants and values, neither the web nor a database.',
  ),
  wall(
    ['src/operational/**'],
    [...drivers, '../storage/*', '../handlers/*', '../app', '../auth', '../config', '../main'],
    'what operates the server knows requests and answers, not what they are about.',
  ),
  wall(
    ['src/*/**'],
    ['../*', '!../store', ...web, ...drivers],
    'the domain depends on nothing but what any store is.',
    ['contract', 'handlers', 'operational', 'storage'].map((name) => `src/${name}/**`),
  ),
  wall(['src/storage/**'], [...web, ...drivers, ...aboveStorage], STORE, ownDrivers),
  wall(['src/storage/sqlite*'], [...web, 'pg', ...aboveStorage], STORE),
  wall(['src/storage/postgres*'], [...web, 'better-sqlite3', ...aboveStorage], STORE),
  wall(
    ['src/app.ts', 'src/auth.ts', 'src/errors.ts'],
    [...drivers, './storage/*', './main', './config'],
    'the app is given its store and its configuration by main.ts.',
  ),
);
