/** A service of contract-first-server as a target of the prover. */
export { emptied, openEmptied } from './test-database';
export {
  readExamples,
  refusalsOf,
  serviceTarget,
  type Changes,
  type ServiceTarget,
  type TestedService,
} from './service-target';
export { readBody } from './read-body';
export { strategiesWith, testSecrets } from './test-credentials';
export { listen, openServer } from './listen';
export { BODY_LIMIT, type Inspected, SERVICE } from './service-target';
