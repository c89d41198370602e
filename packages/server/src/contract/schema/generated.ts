/**
 * Generates functions that convert values whose shape does not depend on branches. They access each property by name, and so
 * are faster than the lookups of shapes.ts. The source is generated at start, like that of ajv; `NODE_DEBUG=contract` prints
 * it. shapes.ts converts the values of schemas with branches, patterns, `readOnly` or `writeOnly`.
 */
import { debuglog } from 'node:util';
import { compileFunction } from 'node:vm';
import { parseJson } from '../json/parse';
import { type Copier, copyBy, type copyPlain, exactNumber, type Holder } from '../json/values';
import type { Convert, Position, Shape } from './position';

const log = debuglog('contract');

/** Copies a value to `holder[key]` as `copyPlain` does, without properties that are not listed. */
export type Project = typeof copyPlain;

/** Returns the shape at a position; `leaf` if there is nothing to convert, undefined if it depends on the value. */
export type ShapeAt = (position: Position) => Shape | 'leaf' | undefined;

/** No function can be generated: the shape depends on the value. */
class Undecided extends Error {}

const quote = (name: string) => JSON.stringify(name);

/** Functions of one root. One position leads to the next: more of them would exhaust the stack, or never end. */
const MAX_FUNCTIONS = 256;

/** Generates one function for each position below the first. */
class Generator {
  /** The names of the listed properties of a position, by the index of its function. */
  readonly listed: ReadonlySet<string>[] = [];
  private readonly indexes = new Map<Position, number>();
  private readonly functions: string[] = [];

  constructor(
    private readonly shapeAt: ShapeAt,
    private readonly write: (shape: Shape, index: number, generator: Generator) => string,
  ) {}

  /** The shape at a position; undefined for a leaf. */
  shape(position: Position): Shape | undefined {
    const shape = this.shapeAt(position);
    if (shape === 'leaf') return undefined;
    if (!shape || shape.marked || shape.otherProperties === undefined || shape.prefixItems.length > 0)
      throw new Undecided();
    return shape;
  }

  /** The name of the function of a position that is not a leaf. */
  name(position: Position, shape: Shape): string {
    const known = this.indexes.get(position);
    if (known !== undefined) return `at${known}`;
    const index = this.indexes.size;
    if (index === MAX_FUNCTIONS) throw new Undecided();
    this.indexes.set(position, index);
    this.listed[index] = new Set(shape.properties.keys());
    this.functions[index] = this.write(shape, index, this);
    return `at${index}`;
  }

  /** The source of all functions. */
  get source(): string {
    return this.functions.join('\n');
  }
}

/** Returns undefined if the shape of a value depends on the value. */
function generate<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

/** Compiles the copy of a response; undefined if its shape depends on the value. */
export function compileProjection(root: Position, shapeAt: ShapeAt): Project | undefined {
  return generate(() => {
    const generator = new Generator(shapeAt, writeProjection);
    const shape = generator.shape(root);
    if (!shape) throw new Undecided();
    const name = generator.name(root, shape);
    const source = `"use strict";\n${generator.source}\nreturn ${name};`;
    log('projection of a response:\n%s', source);
    type Copy = (
      value: unknown,
      holder: Holder,
      key: string | number,
      depth: number,
      copier: Copier,
    ) => unknown;
    const create = compileFunction(source, ['listed']) as (listed: readonly ReadonlySet<string>[]) => Copy;
    const copy = create(generator.listed);
    return (value, holder, key) => copyBy((copier) => copy(value, holder, key, 0, copier), holder, key);
  });
}

/**
 * The statements that visit the properties of `value`.
 *
 * @param each the statement for the value `item` at a key, which is code
 * @param cut the function for an object that has properties that are not listed
 */
function visitProperties(
  shape: Shape,
  index: number,
  each: (position: Position, key: string, isListed: boolean) => string,
  cut: string,
): string[] {
  const lines = ['let surplus = 0;', 'let item;'];
  for (const [name, position] of shape.properties)
    lines.push(`item = value[${quote(name)}];`, each(position, quote(name), true));
  if (shape.closed)
    lines.push('for (const name in value) surplus++;', `if (surplus !== 0) ${cut}(value, listed[${index}]);`);
  else if (typeof shape.otherProperties === 'object') {
    const statement = each(shape.otherProperties, 'name', false);
    const unlisted = `if (listed[${index}].has(name)) continue; item = value[name]; ${statement}`;
    if (statement) lines.push(`for (const name of Object.keys(value)) { ${unlisted} }`);
  }
  return lines;
}

function writeProjection(shape: Shape, index: number, generator: Generator): string {
  const copyOf = (position: Position, key: string) => {
    const child = generator.shape(position);
    const call = child ? `${generator.name(position, child)}(` : 'copier.copy(';
    return `${call}item, copy, ${key}, depth + 1${child ? ', copier' : ''})`;
  };
  const plain = 'return copier.copy(value, holder, key, depth);';
  const lines = [`if (typeof value !== "object" || value === null) ${plain}`];
  if (shape.items && generator.shape(shape.items)) {
    const push = `const item = value[i]; copy.push(${copyOf(shape.items, 'i')});`;
    lines.push(
      'if (Array.isArray(value)) {',
      `const copy = copier.enter(value, depth, []); for (let i = 0; i < value.length; i++) { ${push} } return copy;`,
      '}',
    );
  }
  if (shape.properties.size === 0 && typeof shape.otherProperties !== 'object') lines.push(plain);
  else {
    const each = (position: Position, key: string, isListed: boolean) => {
      const set = `copy[${isListed ? key : 'copier.name(name)'}] = ${copyOf(position, key)};`;
      return `if (item !== undefined) { surplus--; ${set} }`;
    };
    lines.push(`if (Array.isArray(value)) ${plain}`, 'const copy = copier.enter(value, depth, {});');
    lines.push(...visitProperties(shape, index, each, 'copier.leaveOut'), 'return copy;');
  }
  return `function at${index}(value, holder, key, depth, copier) {\n${lines.join('\n')}\n}`;
}

/** Compiles the conversion of a part of a request; undefined if its shape depends on the value. */
export function compileConversion(root: Position, shapeAt: ShapeAt): Convert | undefined {
  return generate(() => {
    const generator = new Generator(shapeAt, writeConversion);
    const statement = conversionOf(root, 'holder', 'key', generator);
    const source = `"use strict";\n${generator.source}\nreturn (holder, key) => { const item = holder[key]; ${statement} return true; };`;
    log('conversion of a request:\n%s', source);
    const create = compileFunction(source, ['listed', 'helpers']) as (
      listed: readonly ReadonlySet<string>[],
      helpers: typeof HELPERS,
    ) => Convert;
    return create(generator.listed, HELPERS);
  });
}

const HELPERS = {
  /** The bigint of the integer `double` at `holder[key]`. */
  bigint: (double: number, holder: Holder, key: string | number): bigint =>
    Number.isSafeInteger(double) ? BigInt(double) : (exactNumber(holder, key) ?? BigInt(double)),
  fill: parseJson,
  /** Removes properties that are not listed. */
  cut(object: Holder, listed: ReadonlySet<string>): void {
    for (const name of Object.keys(object)) if (!listed.has(name)) Reflect.deleteProperty(object, name);
  },
};

/** Returns the statement that converts the value `item` at `holder[key]`. */
function conversionOf(position: Position, holder: string, key: string, generator: Generator): string {
  const shape = generator.shape(position);
  if (!shape) return '';
  const below =
    shape.items !== undefined || shape.properties.size > 0 || typeof shape.otherProperties === 'object';
  const call = below
    ? `if (typeof item === "object" && item !== null) ${generator.name(position, shape)}(item);`
    : '';
  if (!shape.int64) return call;
  return `if (typeof item === "number") ${holder}[${key}] = helpers.bigint(item, ${holder}, ${key}); ${call && `else ${call}`}`;
}

function writeConversion(shape: Shape, index: number, generator: Generator): string {
  const items = shape.items ? conversionOf(shape.items, 'value', 'i', generator) : '';
  const loop = items && `for (let i = 0; i < value.length; i++) { const item = value[i]; ${items} }`;
  const fills = new Map(shape.defaults.map(([name, fill]) => [quote(name), fill]));
  const each = (position: Position, key: string, isListed: boolean) => {
    const statement = conversionOf(position, 'value', key, generator);
    if (!isListed) return statement;
    const fill = fills.get(key);
    const filling = `helpers.fill(${quote(fill ?? '')}, value, ${key}); item = value[${key}];`;
    const missing = fill === undefined ? '' : `if (item === undefined) { ${filling} }`;
    return `${missing} if (item !== undefined) { surplus--; ${statement} }`;
  };
  const lines = [
    `if (Array.isArray(value)) { ${loop} return; }`,
    ...visitProperties(shape, index, each, 'helpers.cut'),
  ];
  return `function at${index}(value) {\n${lines.join('\n')}\n}`;
}
