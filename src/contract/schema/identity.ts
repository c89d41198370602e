import { exactNumber } from '../json';

/** Literals of this size and more keep only their double (json.ts). */
const HUGE = 10n ** 25n;

/** A text that equal numbers share, and no two others. */
function textOfNumber(value: number | bigint, exact: bigint | null | undefined): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof exact === 'bigint' && exact < HUGE && exact > -HUGE) return String(exact);
  // String() rounds a large double to 17 digits, and 2**60 and 2n**60n are one number.
  return Number.isInteger(value) && Math.abs(value) < Number(HUGE) ? String(BigInt(value)) : String(value);
}

/**
 * Gives equal JSON values the same number, and others another one. Each object and array is read once, so that all
 * comparisons of the values below one root take time linear in its size.
 */
export class Interner {
  private readonly numbers = new Map<string, number>();
  private readonly known = new WeakMap<object, number>();

  /** @param constants values that keep their numbers here; nothing may be added to them anymore */
  constructor(private readonly constants?: Interner) {}

  /** The number of the value at `holder[key]`. */
  of(holder: object, key: string | number): number {
    const value: unknown = Reflect.get(holder, key);
    if (typeof value !== 'object' || value === null) return this.intern(this.textOf(value, holder, key));
    const known = this.known.get(value);
    if (known !== undefined) return known;
    const text = Array.isArray(value)
      ? `[${value.map((_, i) => this.of(value, i)).join()}`
      : `{${Object.keys(value)
          .sort()
          .map((name) => `${JSON.stringify(name)}${this.of(value, name)}`)
          .join()}`;
    const number = this.intern(text);
    this.known.set(value, number);
    return number;
  }

  private textOf(value: unknown, holder: object, key: string | number): string {
    if (typeof value === 'string') return `"${value}`;
    if (typeof value === 'number') return textOfNumber(value, exactNumber(holder, key));
    return typeof value === 'bigint' ? textOfNumber(value, undefined) : String(value);
  }

  private intern(text: string): number {
    const known = this.constants?.numbers.get(text) ?? this.numbers.get(text);
    if (known !== undefined) return known;
    const number = (this.constants?.numbers.size ?? 0) + this.numbers.size;
    this.numbers.set(text, number);
    return number;
  }
}
