import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'generated/',
      'src/contract/document/compiled/',
      'reports/',
      'node_modules/',
      '.node/',
      '.cache/',
      'tests/e2e/library/',
      'tests/e2e/photos/',
      'tests/e2e/new-service/',
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
  // A handler returns a promise, also where it awaits nothing.
  { files: ['src/handlers/**'], rules: { '@typescript-eslint/require-await': 'off' } },
  { files: ['**/*.{cjs,mjs}'], ...tseslint.configs.disableTypeChecked },
  { files: ['**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
  {
    files: ['src/**'],
    ignores: ['src/config.ts', 'src/runtime/job.ts'], // job.ts passes on what config.ts reads
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
