import tseslint from 'typescript-eslint';

/**
 * The walls of the house: imports point down only.
 *
 *   main -> app, handlers, config, storage/open, operational   handlers -> plants, errors, auth (its types), contract (its types)
 *   app  -> handlers (types), errors, contract, operational     storage/*   -> plants and its own driver
 *                                                          operational -> contract (its types), errors, plants (its types)
 *                                                          contract    -> libraries only
 */
const wall = (files, group, message, ignores = []) => ({
  files,
  ignores,
  rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] },
});

const web = ['express', 'express-openapi-validator*', 'passport*', 'node:http'];
const drivers = ['better-sqlite3', 'pg'];

export default tseslint.config(
  { ignores: ['dist/', 'generated/', 'reports/', 'node_modules/'] },
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
  wall(
    ['src/contract/**'],
    ['../*', ...drivers],
    'contract/ knows OpenAPI and HTTP, nothing of this service.',
  ),
  wall(
    ['src/contract/**'],
    ['../*', 'express-openapi-validator*', ...drivers],
    'only contract/validator.ts reaches into express-openapi-validator.',
    ['src/contract/validator.ts'],
  ),
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
  wall(['src/plants/**'], ['../*', ...web, ...drivers], 'the domain depends on nothing.'),
  wall(['src/storage/sqlite*'], [...web, 'pg', '../!(plants)'], 'a store knows plants and its own driver.'),
  wall(
    ['src/storage/postgres*'],
    [...web, 'better-sqlite3', '../!(plants)'],
    'a store knows plants and its own driver.',
  ),
  wall(['src/storage/**'], [...web, ...drivers, '../!(plants)'], 'a store knows plants and its own driver.', [
    'src/storage/sqlite*',
    'src/storage/postgres*',
  ]),
  wall(
    ['src/app.ts', 'src/auth.ts', 'src/errors.ts'],
    [...drivers, './storage/*', './main', './config'],
    'the app is given its store and its configuration by main.ts.',
  ),
);
