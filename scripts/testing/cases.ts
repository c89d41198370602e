/*
 * Some suites have more cases than `make test` has time for. They run a fixed sample of them. Such a suite has a twin with
 * `.slow` in its name, which is two imports, all-cases.ts and the suite itself: in `make test-all` it runs the others.
 */

let isTwin = false;

/** Makes the suites that are loaded afterwards run what `make test` leaves out. all-cases.ts calls it. */
export function runOtherCases(): void {
  isTwin = true;
}

/** The number of cases to generate. */
export const cases = (few: number, all: number): number => (isTwin ? all : few);

/** Those cases of a table that represent it, by their first cell; in a twin the others. */
export function sampleOf<T>(all: readonly T[], ...few: readonly string[]): readonly T[] {
  const nameOf = (one: T) => String(Array.isArray(one) ? one[0] : one);
  const sample = all.filter((one) => few.includes(nameOf(one)));
  if (sample.length !== few.length)
    throw new Error(`expected the cases ${few.join(', ')}, got only ${sample.map(nameOf).join(', ')}`);
  return isTwin ? all.filter((one) => !sample.includes(one)) : sample;
}

/** Every `step`-th case of a table; in a twin the others. */
export const everyOf = <T>(all: readonly T[], step: number): readonly T[] =>
  all.filter((_, i) => (i % step === 0) !== isTwin);

/** Declares tests that only the twin runs. */
export function slow(declare: () => void): void {
  if (isTwin) declare();
}

/** Declares tests that the twin does not repeat: they take seconds. */
export function fast(declare: () => void): void {
  if (!isTwin) declare();
}
