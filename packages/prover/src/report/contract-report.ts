import { type Failure, printReplay } from '../failure';
import { type FailureGroup, groupFailures } from '../groups';
import { asObject, asString } from '../json/tree';
import { isOpen, type Obligation } from '../obligation';
import type { Result } from '../run';
import { describeWaiver } from '../waivers';
import { remarksOn } from './remarks';
import type { Summary } from './summary';

/** A line of a file of the document. Lines start at 1. */
export interface Line {
  readonly file: string;
  readonly line: number;
}

/** Finds the place of a JSON pointer, or of the nearest node above it: `openapi.yaml:12:5`. */
export type Locate = (pointer: string) => string;

/**
 * The content of `contract.json`, from which the other files are made. Within a version, members are only added; a
 * change of a member changes the version.
 */
export interface ContractReport {
  readonly version: 1;
  /** Whether the exit status is 0. */
  readonly passed: boolean;
  /** The result in sentences. */
  readonly verdict: string;
  /** The figures in a line. */
  readonly headline: string;
  /** The number of obligations in each state, in all and by operation: the figures of every report. */
  readonly summary: Summary;
  readonly document: { readonly title: string; readonly version: string };
  /** ISO 8601, UTC. */
  readonly finished: string;
  readonly seconds: number;
  readonly requests: number;
  /** The number of requests of each family. */
  readonly families: Readonly<Record<string, number>>;
  readonly seed: number;
  /** The failures by cause, the most frequent first. */
  readonly causes: readonly ReportedCause[];
  /** Answers that the standards leave to the server, by cause. They do not fail the run. */
  readonly warnings: readonly ReportedCause[];
  /** Remarks about the document: examples that it contradicts, lists without a bound. */
  readonly remarks: readonly ReportedRemark[];
  /** Why the run ended early. */
  readonly stopped?: string;
  /** Requests that a budget left out. */
  readonly leftOut: Result['leftOut'];
  /** What the run created and could not remove. */
  readonly leftBehind: readonly string[];
  readonly obligations: readonly ReportedObligation[];
  /** The correct instances of documented responses, by kind of credentials. */
  readonly observations: Result['observations'];
  readonly failures: readonly ReportedFailure[];
  readonly waived: readonly (ReportedFailure & { readonly reason: string })[];
  /** In words: the pattern, the reason and the expiry. */
  readonly waivers: { readonly expired: readonly string[]; readonly unused: readonly string[] };
}

export interface ReportedCause extends Omit<FailureGroup, 'cause' | 'example'> {
  readonly cause: string;
  /** The section that states the broken rule. */
  readonly source?: string;
  /** JSON pointer to the place in the document. */
  readonly pointer: string;
  /** The place in the file of the document, if that is known. */
  readonly line?: Line;
  /** What the service has logged of it, in lines. */
  readonly logged?: string;
  /** A case with this cause, shrunk. */
  readonly example: ReportedFailure;
}

export interface ReportedRemark {
  readonly text: string;
  readonly pointer?: string;
  readonly line?: Line;
}

export interface ReportedFailure extends Omit<Failure, 'causes' | 'replay' | 'logged'> {
  readonly causes: readonly string[];
  /** The argument of `--replay`, for a generated case. */
  readonly replay?: string;
}

export interface ReportedObligation extends Readonly<Omit<Obligation, 'undecided'>> {
  /** The place in the file of the document, if that is known and the obligation is open. */
  readonly line?: Line;
}

/** @param place finds the lines of the document, if its files are known */
export function contractReport(result: Result, place?: Locate, finished = new Date()): ContractReport {
  const locate = place && lineFinder(place);
  const info = asObject(result.document.json['info']);
  const pointers = new Map(result.document.operations.map(({ id, pointer }) => [id, pointer]));
  const obligations = result.obligations.map((obligation): ReportedObligation => {
    const pointer = placeOf(obligation, pointers.get(obligation.operation) ?? '');
    const reported = { ...obligation, ...(locate && isOpen(obligation.state) && { line: locate(pointer) }) };
    delete reported.undecided;
    return reported;
  });
  return {
    version: 1,
    passed: result.passed,
    verdict: verdictOf(result),
    headline: result.summary.headline,
    summary: result.summary,
    document: { title: asString(info['title']), version: asString(info['version']) },
    finished: finished.toISOString(),
    seconds: result.seconds,
    requests: result.requests,
    families: Object.fromEntries(result.families),
    seed: result.seed,
    causes: result.groups.map((group) => reportedCause(group, locate)),
    warnings: groupFailures(result.warnings).map((group) => reportedCause(group, locate)),
    remarks: remarksOf(result, locate),
    ...(result.stopped !== undefined && { stopped: result.stopped }),
    leftOut: result.leftOut,
    leftBehind: result.leftBehind,
    obligations,
    observations: result.observations,
    failures: result.failures.map(reportedFailure),
    waived: result.waived.map(reportedFailure),
    waivers: {
      expired: result.expiredWaivers.map(describeWaiver),
      unused: result.unusedWaivers.map(describeWaiver),
    },
  };
}

/** The result in sentences. */
function verdictOf({ summary, replay, failures, stopped }: Result): string {
  if (!replay) return summary.verdict;
  if (stopped !== undefined) return `The case was not sent: ${stopped}.`;
  return `The case ${failures.length > 0 ? 'fails again' : 'passes now'}: ${printReplay(replay)}`;
}

const remarksOf = ({ document, documentFaults }: Result, locate?: LineFinder): ReportedRemark[] => [
  ...documentFaults.map((text) => ({ text })),
  ...remarksOn(document).map((remark) => ({
    ...remark,
    ...(locate && { line: locate(remark.pointer) }),
  })),
];

const reportedCause = ({ cause, example, ...group }: FailureGroup, locate?: LineFinder): ReportedCause => ({
  ...group,
  cause: cause.sentence,
  ...(cause.source !== undefined && { source: cause.source }),
  pointer: cause.pointer,
  ...(locate && { line: locate(cause.pointer) }),
  ...(example.logged !== undefined && { logged: example.logged }),
  example: reportedFailure(example),
});

/** Without what the service has logged, which stands with the cause. */
const reportedFailure = <T extends Failure>({ causes, replay, ...failure }: T) => ({
  ...failure,
  logged: undefined,
  causes: causes.map(({ sentence }) => sentence),
  ...(replay && { replay: printReplay(replay) }),
});

type LineFinder = (pointer: string) => Line;

/** Finds each place once: a document may be large, and many obligations have one place. */
function lineFinder(locate: Locate): LineFinder {
  const found = new Map<string, Line>();
  return (pointer) => {
    const known = found.get(pointer);
    if (known) return known;
    const [, file = '', line = '1'] = /^(.*):(\d+):\d+$/s.exec(locate(pointer)) ?? [];
    const place = { file, line: Number(line) };
    found.set(pointer, place);
    return place;
  };
}

/** The place of an obligation in the document: its keyword, its response, else its operation. */
function placeOf({ kind, pointer, keyword, description }: Obligation, operation: string): string {
  if (pointer !== undefined) return `${pointer}/${keyword ?? ''}`;
  if (kind === 'response') return `${operation}/responses/${description.split(' | ')[1] ?? ''}`;
  if (kind === 'security') return `${operation}/security`;
  return operation;
}
