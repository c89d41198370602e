/*
 * Some suites have more cases than `make test` has time for. They run a fixed sample of them. Such a suite has a twin with
 * `.slow` in its name, which is two imports, all-cases.ts and the suite itself: in `make test-all` it runs all of them.
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
