import { type Decimal, integerOf, parseDecimal } from '../json/decimal';
import { exactDecimal, exactNumbersIn, hasExact } from '../json/values';

/** A text that is the same for equal numbers only. */
function textOfNumber({ negative, digits, exponent }: Decimal): string {
  return `${negative && digits !== '' ? '-' : ''}${digits}e${exponent}`;
}

const isDouble = (value: bigint): boolean =>
  Number.isFinite(Number(value)) && BigInt(Number(value)) === value;

/**
 * Whether JavaScript writes a double as another number: it writes 99999999999999991611392 as 1e+23. In a document such a
 * number means what is written.
 */
export const isRounded = (value: number): boolean =>
  Number.isFinite(value) &&
  Math.abs(value) >= 1e21 &&
  integerOf(parseDecimal(String(value))) !== BigInt(value);

/** Whether it takes less time to read an array again than to remember its number. */
const isShort = (value: object): boolean =>
  Array.isArray(value) && value.length <= 4 && value.every((item) => typeof item === 'number');

/**
 * Assigns equal JSON values the same number, and different values different numbers. It reads each object and long array once, so
 * all comparisons of the values below one root take time linear in its size.
 */
export class Interner {
  private readonly numbers = new Map<string, number>();
  private readonly doubles = new Map<number, number>();
  private readonly known = new Map<object, number>();
  /** `constants`, if there are any: most documents have none, and each value would be looked up in vain. */
  private readonly base: Interner | undefined;
  private count: number;

  /** @param constants values whose numbers are the same here; nothing may be added to them anymore */
  constructor(private readonly constants?: Interner) {
    this.count = constants?.count ?? 0;
    this.base = this.count > 0 ? constants : undefined;
  }

  /** The number of the value at `holder[key]`. */
  of(holder: object, key: string | number): number {
    const value: unknown = Reflect.get(holder, key);
    if (typeof value === 'number' && !hasExact(holder, key)) {
      const isWritten = this.constants === undefined && isRounded(value);
      return isWritten ? this.intern(textOfNumber(parseDecimal(String(value)))) : this.ofDouble(value);
    }
    if (typeof value === 'bigint' && isDouble(value)) return this.ofDouble(Number(value));
    if (typeof value !== 'object' || value === null) return this.intern(this.textOf(value, holder, key));
    const known = this.known.get(value);
    if (known !== undefined) return known;
    const text = Array.isArray(value)
      ? this.textOfItems(value)
      : `{${Object.keys(value)
          .sort()
          .map((name) => `${JSON.stringify(name)}${this.of(value, name)}`)
          .join()}`;
    const number = this.intern(text);
    if (!isShort(value)) this.known.set(value, number);
    return number;
  }

  /** Looks for exact numbers once, not at each item. */
  private textOfItems(items: readonly unknown[]): string {
    const exact = exactNumbersIn(items);
    let text = '[';
    for (let i = 0; i < items.length; i++) {
      const item = items[i];
      const isSmall = exact === undefined && typeof item === 'number' && Math.abs(item) < 1e21;
      text += `${isSmall ? this.ofDouble(item) : this.of(items, i)},`;
    }
    return text;
  }

  /** The number of a double that represents its literal exactly. A number that no double represents equals none of them. */
  private ofDouble(value: number): number {
    const known = this.base?.doubles.get(value) ?? this.doubles.get(value);
    if (known !== undefined) return known;
    this.doubles.set(value, this.count);
    return this.count++;
  }

  private textOf(value: unknown, holder: object, key: string | number): string {
    if (typeof value === 'string') return `"${value}`;
    if (typeof value === 'number') return textOfNumber(exactDecimal(holder, key, value));
    return typeof value === 'bigint' ? textOfNumber(parseDecimal(String(value))) : String(value);
  }

  private intern(text: string): number {
    const known = this.base?.numbers.get(text) ?? this.numbers.get(text);
    if (known !== undefined) return known;
    this.numbers.set(text, this.count);
    return this.count++;
  }
}
