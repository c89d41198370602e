import fc from 'fast-check';
import { compilePattern } from 'contract-first-server/tools';
import { nativePattern, patterns, texts } from '../testing/patterns';

/** Patterns of each kind, and texts for each. */
const [PATTERNS, TEXTS] = [2_000, 12];

/** Two engines match generated patterns: ours, and V8 a pattern without modifiers that means the same. */
export interface Comparison {
  readonly compared: number;
  /** Patterns that ours does not hold. */
  readonly refused: number;
  /** `pattern text`, where ours is wrong. */
  readonly wrong: readonly string[];
  /** `pattern text`, where V8 takes the modifiers of the pattern wrong. */
  readonly leaks: readonly string[];
}

/** @param seed that of the patterns, so that a run can be repeated */
export function compareEngines(seed: number): Comparison {
  const found = { compared: 0, refused: 0, wrong: [] as string[], leaks: [] as string[] };
  const some = fc.array(texts, { minLength: TEXTS, maxLength: TEXTS });
  for (const generated of [patterns(false), patterns(true)]) {
    for (const [{ source, plain }, all] of fc.sample(fc.tuple(generated, some), {
      numRuns: PATTERNS,
      seed,
    })) {
      const ours = attempt(() => compilePattern(source));
      if (!ours) {
        found.refused++;
        continue;
      }
      found.compared++;
      const right = nativePattern(plain);
      const native = attempt(() => nativePattern(source)); // before Node 24, V8 has no modifiers
      for (const text of all) {
        const shown = `${source} ${JSON.stringify(text)}`;
        if (ours.test(text) !== right.test(text)) found.wrong.push(shown);
        if (native && native.test(text) !== right.test(text)) found.leaks.push(shown);
      }
    }
  }
  return found;
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
