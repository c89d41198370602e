import { ADVICE } from './advice';
import type { Case } from './cases/case';
import { printable } from './failure';
import type { Obligation, Undecided } from './obligation';
import { deriveObligations } from './obligations';
import type { Target } from './target';
import type { Waivers } from './waivers';
import type { Document } from './document/model';

/** The obligations of a document, and the cases that prove or disprove them. */
export function openLedger(document: Document, target: Target) {
  const obligations = document.operations.flatMap((operation) =>
    deriveObligations(document, target, operation),
  );
  const byKey = new Map(obligations.map((obligation) => [obligation.key, obligation]));
  const received = Map.groupBy(
    obligations.filter(({ kind }) => kind === 'received'),
    ({ operation }) => operation,
  );
  // Answers of a server may contain credentials and control characters.
  const text = (reason: string): string => printable(reason, target.curl?.secrets);
  const known = (keys: readonly string[]): Obligation[] => keys.flatMap((key) => byKey.get(key) ?? []);
  return {
    obligations,
    /** Counts one case for or against the obligations with these keys. Ignores a key without an obligation. */
    record(keys: readonly string[], passed: boolean): void {
      for (const obligation of known(keys)) obligation[passed ? 'passed' : 'failed'] += 1;
    },
    /** Whether each promise that a case is about has a case for or against it. */
    isKnown: ({ operation, proves, handlerInput }: Case): boolean =>
      [...known(proves), ...((handlerInput && received.get(operation.id)) ?? [])].every(
        ({ passed, failed }) => passed + failed > 0,
      ),
    /** Notes a case that neither proves nor disproves the obligations with these keys. */
    undecide(keys: readonly string[], { state: next, reason }: Undecided): void {
      // A warning and a waived failure are more certain than the others.
      for (const obligation of known(keys)) {
        const { state } = obligation.undecided ?? {};
        if (state !== 'WARNED' && state !== 'WAIVED')
          obligation.undecided = { state: next, reason: text(reason) };
      }
    },
    /** Marks all obligations of an operation: without a valid request, its other answers prove nothing. */
    block(operation: string, reason: string, state: 'BLOCKED' | 'OUT OF REACH' | 'STUB' = 'BLOCKED'): void {
      for (const obligation of obligations) {
        if (obligation.operation === operation) Object.assign(obligation, { state, reason: text(reason) });
      }
    },
    /** Each obligation with its state, if no more cases come: `stopped` says why the run ends early. */
    settled: (waivers: Waivers, stopped?: string): Obligation[] =>
      obligations.map((obligation) => ({
        ...obligation,
        ...finalState(obligation, target, waivers, stopped),
      })),
  };
}

/** A waiver replaces a missing proof only. It never hides a case that failed. */
function finalState(
  obligation: Obligation,
  target: Target,
  waivers: Waivers,
  stopped: string | undefined,
): Partial<Obligation> {
  const { state, failed, passed, undecided, operation } = obligation;
  if (state !== 'UNPROVEN' || failed > 0) return {};
  if (undecided?.state === 'WARNED') return undecided;
  const isStub = target.stubs?.includes(operation) === true;
  if (passed > 0) return isStub ? { state: 'STUB', reason: ofStub(operation) } : { state: 'PROVEN' };
  const waiver = waivers.ofObligation(obligation.key);
  if (waiver) return { state: 'WAIVED', reason: waiver.reason };
  if (isStub && (obligation.kind === 'response' || obligation.kind === 'stored'))
    return { state: 'STUB', reason: ofStub(operation) };
  if (stopped !== undefined) return { state: 'LEFT OUT', reason: `the run ended early: ${stopped}` };
  const beyond = undecided ? undefined : whyOutOfReach(obligation, target);
  if (beyond !== undefined) return { state: 'OUT OF REACH', reason: beyond };
  return undecided ?? { reason: whyUnproven(obligation, target) };
}

const ofStub = (operation: string): string => `the handler of ${operation} is a stub`;

/** Why requests alone cannot prove an obligation, and what would; undefined if they can. */
function whyOutOfReach(
  { key, kind }: Obligation,
  { blackBox, bodyLimit, source = '' }: Target,
): string | undefined {
  if (kind === 'protocol' && key.endsWith('| body limit') && bodyLimit === undefined)
    return ADVICE.stateLimit(blackBox !== undefined);
  if (key.endsWith('| streamed items'))
    return 'no item was read: none came in time, or the prover cannot read its media type';
  if (kind === 'stored') return 'no request stored something that could be read back';
  if (!blackBox) return undefined;
  if (kind === 'received') return ADVICE.testInProcess();
  if (kind === 'response') return ADVICE.causeInProcess();
  return key.endsWith('insufficient scope') ? ADVICE.addScopes(true, source) : undefined;
}

/** The reason why no case tested an obligation, and the remedy. */
function whyUnproven(
  { key, kind, description, slot = '', keyword = '', side }: Obligation,
  { blackBox, source = 'the target' }: Target,
): string {
  // No scenario expects a 5xx.
  if (kind === 'response' && !description.startsWith('response | 5')) return ADVICE.addScenario(source);
  if (key.endsWith('insufficient scope')) return ADVICE.addScopes(false, source);
  const [, schemes = ''] = description.split(' | ');
  if (kind === 'security') return ADVICE.addAlternative(schemes.split(' and '), blackBox !== undefined);
  if (kind !== 'constraint') return ADVICE.waive(source);
  return side === 'holds' ? ADVICE.waiveValid(keyword, source) : ADVICE.removeKeyword(keyword, slot, source);
}
