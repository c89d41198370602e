/** Reads answers: integers of 64 bits become bigints where the document has them. */
import { isMatch } from './match';
import type { Shape } from './plan';
import { MalformedAnswer } from './types';

/** A number that a double may not represent. */
const LARGE = /\d{16}|\d[eE]/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** The most characters of the literal of an integer, and of its digits. */
const LONGEST = 400;

/** The integer of a literal; undefined if it is none. */
function integerOf(literal: string): bigint | undefined {
  const [, digits = '', fraction = '', exponent = '0'] =
    /^(-?\d+)(?:\.(\d*?)0*)?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const zeros = Number(exponent) - fraction.length;
  if (digits === '' || zeros < 0 || zeros + literal.length > LONGEST) return undefined;
  return BigInt(`${digits}${fraction}${'0'.repeat(zeros)}`);
}

/** Keeps large integers as bigints. Node 22 and the browsers of 2025 tell a reviver the text of a literal. */
function revive(_key: string, value: unknown, ...[context]: { readonly source?: string }[]): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  if (context?.source !== undefined) return integerOf(context.source) ?? value;
  if (Math.abs(value) > 2 ** 63) return value;
  throw new MalformedAnswer(
    'this platform cannot read integers of 64 bits exactly: its JSON.parse has no source text',
  );
}

const typeOf = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : typeof value === 'bigint'
        ? 'number'
        : typeof value;

type Holder = Record<string | number, unknown>;

export class Reader {
  private readonly shapes: readonly Shape[];
  /** Which schemas an object fits. */
  private readonly judged = new WeakMap<object, Map<number, boolean>>();

  constructor(shapes: readonly Shape[]) {
    this.shapes = shapes;
  }

  /** @throws {MalformedAnswer} */
  json(text: string, shape: number | undefined): unknown {
    try {
      return this.exact(
        shape !== undefined && LARGE.test(text) ? JSON.parse(text, revive) : JSON.parse(text),
        shape,
      );
    } catch (error) {
      if (error instanceof MalformedAnswer) throw error;
      const shown = text.length > 80 ? `${text.slice(0, 80)}...` : text;
      throw new MalformedAnswer(`expected JSON, got ${JSON.stringify(shown)}`, { cause: error });
    }
  }

  /** A value whose integers are as its schema has them. */
  exact(value: unknown, shape: number | undefined): unknown {
    if (shape === undefined) return typeof value === 'bigint' ? Number(value) : value;
    const holder: Holder = { value };
    this.convert(holder, 'value', [shape]);
    return holder['value'];
  }

  /** An event whose data is text; it becomes a value where the document says that it is JSON. */
  event(event: Holder, shape: number | undefined): unknown {
    if (shape === undefined) return event;
    const data = this.applying(event, [shape]).flatMap((one) => one.properties?.['data'] ?? []);
    const contents = this.applying(event['data'], data).flatMap(({ content }) => content ?? []);
    if (contents.length === 0) return event;
    const isAlways = contents.length === data.length;
    try {
      const value = this.json(String(event['data']), contents[0]);
      return isAlways || typeof value !== 'string' ? { ...event, data: value } : event;
    } catch (error) {
      if (isAlways) throw error;
      return event;
    }
  }

  private convert(holder: Holder, key: string | number, schemas: readonly number[]): void {
    const value = holder[key];
    const applying = this.applying(value, schemas);
    if (typeof value === 'number' || typeof value === 'bigint') {
      const int64 =
        applying.some((one) => one.int64) && (typeof value === 'bigint' || Number.isInteger(value));
      holder[key] = int64 ? BigInt(value) : Number(value);
    } else if (Array.isArray(value)) {
      for (const i of value.keys())
        this.convert(
          value as unknown[] & Holder,
          i,
          applying.flatMap(({ first, items }) => first?.[i] ?? items ?? []),
        );
    } else if (typeof value === 'object' && value !== null) {
      for (const name of Object.keys(value))
        this.convert(
          value as Holder,
          name,
          applying.flatMap((one) => propertyOf(one, name)),
        );
    }
  }

  /** The schemas that apply to a value. Where no branch fits, all do. */
  private applying(value: unknown, schemas: readonly number[], seen = new Set<number>()): Shape[] {
    return schemas.flatMap((index) => {
      const shape = this.shapes[index];
      if (!shape || seen.has(index)) return [];
      seen.add(index);
      const branches = (shape.any ?? []).flatMap((group) => {
        const fitting = group.filter((one) => this.fitsOnce(value, one));
        return fitting.length > 0 ? fitting : group;
      });
      return [shape, ...this.applying(value, [...(shape.all ?? []), ...branches], seen)];
    });
  }

  /** Asks each schema once for a value, however many branches lead to it. */
  private fitsOnce(value: unknown, index: number): boolean {
    if (typeof value !== 'object' || value === null) return this.fits(value, index, new Map());
    const judged = this.judged.get(value) ?? new Map<number, boolean>();
    this.judged.set(value, judged);
    return this.fits(value, index, judged);
  }

  private fits(value: unknown, index: number, judged: Map<number, boolean>): boolean {
    const known = judged.get(index);
    if (known !== undefined) return known;
    judged.set(index, true); // a schema that leads back to itself says nothing more
    const fits = this.judge(value, index, judged);
    judged.set(index, fits);
    return fits;
  }

  private judge(value: unknown, index: number, judged: Map<number, boolean>): boolean {
    const shape = this.shapes[index];
    if (!shape) return true;
    const { types, values, required = [], all = [], any = [] } = shape;
    if (types && !types.includes(typeOf(value))) return false;
    if (values && !values.some((one) => one === value || String(one) === String(value))) return false;
    const fits = (one: number) => this.fits(value, one, judged);
    if (!all.every(fits)) return false;
    if (!any.every((group) => group.some(fits))) return false;
    if (typeOf(value) !== 'object') return true;
    const members = value as Holder;
    return (
      required.every((name) => Object.hasOwn(members, name)) &&
      Object.keys(members).every((name) =>
        propertyOf(shape, name).every((one) => this.fitsOnce(members[name], one)),
      )
    );
  }
}

/** The value of a text that is no JSON. An integer that a double does not represent is a bigint. */
export function primitiveOf(text: string, types: readonly string[] = []): unknown {
  if (types.includes('number') && NUMBER.test(text)) return JSON.parse(text, revive);
  return types.includes('boolean') && /^(?:true|false)$/.test(text) ? text === 'true' : text;
}

/** The schemas by which a schema describes a property. */
function propertyOf({ properties = {}, patterns = [], others }: Shape, name: string): number[] {
  const own = [
    ...(Object.hasOwn(properties, name) ? [properties[name] ?? []].flat() : []),
    ...patterns.flatMap(([pattern, schema]) => {
      const isOwn =
        typeof pattern === 'string' ? new RegExp(pattern, 'u').test(name) : isMatch(pattern, name);
      return isOwn ? [schema] : [];
    }),
  ];
  return own.length > 0 || others === undefined ? own : [others];
}
