import { loadModule, named } from '../load';
import { SERVICE, type ServiceTarget } from 'contract-first-prover/service';

/**
 * Loads the target of the service in the current folder: what `service()` of tests/contract/service.ts returns.
 *
 * @throws {Error} if there is no such file, or if it fails
 */
export function loadService(): ServiceTarget {
  const module = loadModule(SERVICE) as { readonly service: () => ServiceTarget } | undefined;
  if (!module) throw new Error(`${SERVICE} is missing: it makes the service a target of the contract tests`);
  return named(SERVICE, () => module.service());
}
