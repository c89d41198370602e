import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist/', 'generated/', 'reports/', '.node/', '.cache/'] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowNullish: true },
      ],
      // `{ passwordHash, ...user }` leaves a property out.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      // A handler returns a promise, whether it waits for something or not.
      '@typescript-eslint/require-await': 'off',
      // The errors or verifiers of a service may be none yet.
      '@typescript-eslint/no-unnecessary-type-arguments': 'off',
      '@typescript-eslint/no-generated-empty-object-type': 'off',
      // A deprecated part of the document is served as long as it is documented.
      '@typescript-eslint/no-deprecated': 'off',
    },
  },
  { files: ['**/*.mjs'], ...tseslint.configs.disableTypeChecked },
);
