import type { Document } from './document/document';
import { deriveObligations, INSUFFICIENT_SCOPE, type Obligation } from './obligations';
import type { Target } from './target';

/** What is owed, found by reading the document alone; what cases have shown of it. */
export interface Ledger {
  readonly obligations: readonly Obligation[];
  /** Counts one case for or against the obligations with these keys; a key that nothing owes is ignored. */
  record(keys: readonly string[], passed: boolean): void;
  /** An operation whose plainest valid request fails proves nothing, whatever else it answers. */
  block(operation: string, reason: string): void;
  close(): void;
}

export function openLedger(document: Document, target: Target): Ledger {
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
      for (const obligation of obligations) {
        if (obligation.state === 'BLOCKED') continue;
        const waiver = target.waivers.find(
          (one) => 'obligation' in one && one.obligation.test(obligation.key),
        );
        if (obligation.passed > 0 && obligation.failed === 0) obligation.state = 'PROVEN';
        else if (waiver && obligation.failed === 0) {
          Object.assign(obligation, { state: 'WAIVED', reason: waiver.reason });
        } else if (obligation.failed === 0) obligation.reason = whyUnproven(obligation);
      }
    },
  };
}

/** Why no case spoke for an obligation, or against it. */
function whyUnproven({ key, kind, part: place = '', keyword = '', side: side }: Obligation): string {
  if (kind === 'response')
    return 'no request brought it about: give the target a scenario, a situation or a waiver';
  if (key.endsWith(INSUFFICIENT_SCOPE))
    return 'no credentials lack the scopes: give the target some (`insufficient`), or a waiver';
  if (kind !== 'constraint') return 'no request for it could be made: give the target a waiver';
  return side === 'holds'
    ? `no value was found that ${keyword} applies to and that fits: give the target a waiver`
    : `no value was found that breaks ${keyword} and that ${place} can carry: drop the keyword where others exclude all such values already, or give the target a waiver`;
}
