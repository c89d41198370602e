/*
 * Some suites have more cases than `make test` has time for. `X.test.ts` then runs a fixed sample of them, and
 * `X.slow.test.ts`, which is two imports, runs all of them in `make test-all`: all-cases.ts and the suite itself.
 */

let isComplete = false;

/** Makes the suites that are loaded afterwards run all of their cases. all-cases.ts calls it. */
export function runAllCases(): void {
  isComplete = true;
}

/** The number of cases to generate. */
export const cases = (few: number, all: number): number => (isComplete ? all : few);

/** All cases of a table, or those that represent them, by their first cell. */
export function sampleOf<T>(all: readonly T[], ...few: readonly string[]): readonly T[] {
  if (isComplete) return all;
  const nameOf = (one: T) => String(Array.isArray(one) ? one[0] : one);
  const sample = all.filter((one) => few.includes(nameOf(one)));
  if (sample.length !== few.length)
    throw new Error(`expected the cases ${few.join(', ')}, got only ${sample.map(nameOf).join(', ')}`);
  return sample;
}

/** All cases of a table, or every `step`-th. */
export const everyOf = <T>(all: readonly T[], step: number): readonly T[] =>
  isComplete ? all : all.filter((_, i) => i % step === 0);

/** Declares tests that only `make test-all` runs. */
export function slow(declare: () => void): void {
  if (isComplete) declare();
}
