import tseslint from 'typescript-eslint';

/** `const NAME: Record<string, X> = { ... }` of a module, also with Readonly around the type. */
const TABLES = ['', "TSTypeReference[typeName.name='Readonly'] > TSTypeParameterInstantiation > "].map(
  (within) =>
    ":matches(Program, ExportNamedDeclaration) > VariableDeclaration[kind='const'] > " +
    `VariableDeclarator[init.type='ObjectExpression'] > Identifier.id > TSTypeAnnotation > ${within}` +
    "TSTypeReference[typeName.name='Record'] > TSTypeParameterInstantiation > TSStringKeyword:first-child",
);

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'packages/*/dist/',
      'generated/',
      'packages/server/src/contract/document/compiled/',
      'reports/',
      'node_modules/',
      '.node/',
      '.cache/',
      'packages/command/tests/e2e/library/',
      'packages/command/tests/e2e/photos/',
      'packages/command/tests/e2e/new-service/',
      'scripts/testing/fixture/',
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
  // A handler returns a promise, also where it awaits nothing.
  { files: ['src/handlers/**'], rules: { '@typescript-eslint/require-await': 'off' } },
  { files: ['**/*.{cjs,mjs}'], ...tseslint.configs.disableTypeChecked },
  { files: ['**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
  {
    files: ['{src,packages/*/src}/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...TABLES.map((selector) => ({
          selector,
          message: 'A name from outside finds what objects inherit, such as `constructor`. Use a Map.',
        })),
      ],
    },
  },
  {
    files: ['src/**', 'packages/{database,server}/src/**'],
    ignores: ['src/config.ts', 'packages/server/src/runtime/process/job.ts'], // job.ts passes on what config.ts reads
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
);
