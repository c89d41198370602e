import type { Document } from './document/document';
import type { Obligation } from './obligation';
import { deriveObligations } from './obligations';
import type { Target } from './target';
import { openWaivers, type Waivers } from './waivers';

/** The obligations of a document, and the cases that prove or disprove them. */
export interface Ledger {
  readonly obligations: readonly Obligation[];
  /** Counts one case for or against the obligations with these keys. Ignores a key without an obligation. */
  record(keys: readonly string[], passed: boolean): void;
  /** Marks all obligations of an operation BLOCKED: without a valid request, its other answers prove nothing. */
  block(operation: string, reason: string): void;
  /** Sets the final state of each obligation. */
  close(): void;
}

export function openLedger(
  document: Document,
  target: Target,
  waivers: Waivers = openWaivers(target.waivers, ''),
): Ledger {
  const obligations = document.operations.flatMap((operation) =>
    deriveObligations(document, target, operation),
  );
  const byKey = new Map(obligations.map((obligation) => [obligation.key, obligation]));
  return {
    obligations,
    record(keys, passed) {
      for (const key of keys) {
        const obligation = byKey.get(key);
        if (obligation) obligation[passed ? 'passed' : 'failed'] += 1;
      }
    },
    block(operation, reason) {
      for (const obligation of obligations) {
        if (obligation.operation === operation) Object.assign(obligation, { state: 'BLOCKED', reason });
      }
    },
    close() {
      for (const obligation of obligations) Object.assign(obligation, finalState(obligation, waivers));
    },
  };
}

/** A waiver replaces a missing proof only. It never hides a case that failed. */
function finalState(obligation: Obligation, waivers: Waivers): Partial<Obligation> {
  if (obligation.state === 'BLOCKED' || obligation.failed > 0) return {};
  if (obligation.passed > 0) return { state: 'PROVEN' };
  const waiver = waivers.ofObligation(obligation.key);
  if (waiver) return { state: 'WAIVED', reason: waiver.reason };
  return { reason: whyUnproven(obligation) };
}

/** The reason why no case tested an obligation, and the remedy. */
function whyUnproven({ key, kind, slot = '', keyword = '', side }: Obligation): string {
  if (kind === 'response')
    return 'no request caused this response: add a scenario, a situation or a waiver to the target';
  if (key.endsWith('insufficient scope'))
    return 'no credentials lack the scopes: add some to the target (`insufficient`), or a waiver';
  if (kind !== 'constraint') return 'no request tests it: add a waiver to the target';
  return side === 'holds'
    ? `no valid value was found to which ${keyword} applies: add a waiver to the target`
    : `no value was found that violates ${keyword} and that ${slot} can carry: remove the keyword if others already exclude such values, or add a waiver to the target`;
}
