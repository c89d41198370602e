/** The public API of the prover: the contract-test engine for any server, and a service of this package as its target. */
export { type Failure, type WaivedFailure } from './failure';
export { type Json, type JsonObject } from './json/json';
export { NumberLiteral, parse, print, type Value } from './json/value';
export { type Obligation, type State } from './obligation';
export { describeFailure, formatReport, headline } from './report/text';
export type {
  ContractReport,
  Line,
  Locate,
  ReportedCause,
  ReportedFailure,
  ReportedObligation,
  ReportedRemark,
} from './report/contract-report';
export { writeReport } from './report/write';
export { main, type Source } from './main';
export { type Profile } from './profile';
export { run, type Result, type RunOptions } from './run';
export type {
  Answer,
  BlackBox,
  CredentialValues,
  ExpectedMembers,
  OwnRefusal,
  ParameterValues,
  Received,
  Refusal,
  RefusalRule,
  Refusals,
  Resolvable,
  Scenario,
  Server,
  Step,
  Target,
  Waiver,
} from './target';
export { urlTarget, type UrlOptions } from './url-target';
export {
  readExamples,
  refusalsOf,
  serviceTarget,
  type Changes,
  type ServiceTarget,
  type TestedService,
} from './service/service-target';
