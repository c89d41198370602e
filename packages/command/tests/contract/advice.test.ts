import { ADVICE } from 'contract-first-prover';
import { RUN_OPTIONS, URL_OPTIONS } from '../../src/contract/options';

/** The options that an advice of the prover names. */
const NAMED = [...JSON.stringify(Object.values(ADVICE).map(String)).matchAll(/--([a-z-]{3,})/g)];

test.each([...new Set(NAMED.map(([, name = '']) => name))])('--%s, which an advice names, exists', (name) => {
  expect(Object.keys({ ...URL_OPTIONS, ...RUN_OPTIONS })).toContain(name);
});
