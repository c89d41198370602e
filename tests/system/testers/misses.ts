/** Why the engine does not catch a mutant from outside, in the profile `document`. */
interface Reason {
  readonly mutants: RegExp;
  readonly reason: string;
}

const REASONS: readonly Reason[] = [];

/** Why a mutant is missed. */
export const reasonFor = (group: string, name: string): { readonly reason: string } => ({
  reason:
    REASONS.find(({ mutants }) => mutants.test(group === 'the service' ? name : `${group} ${name}`))
      ?.reason ?? 'not explained',
});
