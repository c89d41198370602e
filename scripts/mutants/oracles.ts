import contract from '../../generated/openapi.json';
import { createOracle, type Family, type Oracle, rounded } from 'contract-first-prover';

const sound = createOracle({ json: contract, direction: 'request' });

/** The suite itself broken: an oracle that is wrong must not go unnoticed. */
export const oracles: readonly { name: string; families: readonly Family[]; oracle: Oracle }[] = [
  {
    name: 'the oracle admits everything',
    families: ['oracle'],
    oracle: { valid: () => true, decides: () => true, errors: () => [], breaks: () => false },
  },
  {
    name: 'the oracle admits nothing',
    families: ['baseline'],
    oracle: { valid: () => false, decides: () => true, errors: () => ['no'], breaks: () => true },
  },
  {
    name: 'the oracle reads numbers as doubles',
    families: ['oracle'],
    oracle: { ...sound, valid: (schema, value) => sound.valid(schema, rounded(value)) },
  },
  {
    name: 'the oracle overlooks missing properties',
    families: ['oracle'],
    oracle: {
      ...sound,
      valid: (schema, value) =>
        sound.valid(schema, value) ||
        sound.errors(schema, value).some((error) => error.includes('required property')),
    },
  },
];
