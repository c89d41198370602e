/** The public API of the prover: contract tests of any server. */
export { type Failure, type WaivedFailure } from './failure';
export { type Json, type JsonObject } from './json/tree';
export { NumberLiteral, parse, print, type Value } from './json/value';
export type { Encoder } from './document/model';
export { type Obligation, type State } from './obligation';
export { describeFailure, formatReport, headline } from './report/terminal';
export type {
  ContractReport,
  Line,
  Locate,
  ReportedCause,
  ReportedFailure,
  ReportedObligation,
  ReportedRemark,
} from './report/contract-report';
export { writeFiles, writeReport } from './report/files';
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
  ScenarioOf,
  Server,
  Step,
  Target,
  Waiver,
} from './target';
export { urlTarget, type UrlOptions } from './url-target';

/* For our own command and tests. It can change in every version. */
export { ADVICE } from './advice';
export { messageOf } from './attempts';
export { parseReplay } from './failure';
export { contractReport } from './report/contract-report';
export { githubAnnotations } from './report/github';
export { createProgress } from './report/progress';
export { openWaivers, readWaivers } from './waivers';
export { groupFailures } from './groups';
export { isOpen } from './obligation';
export { asArray, asObject, asString } from './json/tree';
export { escapeToken, nodeAt, objectAt, pointerOf, resolvePointer } from './json/tree';
export { parse as parseValue, rounded, toJavaScript } from './json/value';
export { type Document, type Operation, type Response } from './document/model';
export { JSON_DATA } from './document/events';
export { codecOf } from './document/media';
export { documentBasePath, readDocument } from './document/reader';
export { remarksOn } from './report/remarks';
export { type Family } from './cases/case';
export { formatTable } from './report/terminal';
export { INTEGER_FORMATS, STRING_FORMATS } from './schema/known-formats';
export { createOracle, type Oracle } from './schema/oracle';
export { samples } from './schema/samples';
export { ANY_CHARACTER } from './schema/strings';
