import type { Parameter, ParameterLocation } from '../../../src/contract/operations/operations';
import { writeParameter } from '../../../src/contract/parameters/write';
import { INT64, LIST, readColor, RGB, STRING } from '../../support/parameters';

// OpenAPI 3.1 section 4.8.12.2: the styles of each location, and the kinds of values that each style is defined for.
const STYLES: Readonly<Record<ParameterLocation, readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  querystring: [],
  cookie: ['form', 'cookie'],
};
const VALUES = [
  ['a string', STRING, 'a b/ü&=,;.'],
  ['an integer', INT64, 42],
  ['a list', LIST, ['one', 'two']],
  ['a list of one', LIST, ['one']],
  ['an object', RGB, { R: 100, G: 200, B: 150 }],
  [
    'what is nested',
    { type: 'object', properties: { colors: { type: 'array', items: RGB } } },
    { colors: [{ R: 1 }, { G: 2 }] },
  ],
] as const;

const isDefined = (style: string, explode: boolean, value: unknown): boolean => {
  const kind = Array.isArray(value) ? 'array' : typeof value;
  if (style === 'deepObject') return explode;
  if (typeof value === 'object' && value !== null && 'colors' in value) return false;
  return !style.endsWith('Delimited') || (!explode && (kind === 'array' || kind === 'object'));
};

const cases = Object.entries(STYLES).flatMap(([place, styles]) =>
  styles.flatMap((style) =>
    [true, false].flatMap((explode) =>
      VALUES.filter(([, , value]) => isDefined(style, explode, value)).map(
        ([what, schema, value]) => [what, place as ParameterLocation, style, explode, schema, value] as const,
      ),
    ),
  ),
);

const build = (place: ParameterLocation, style: string, explode: boolean): Parameter => ({
  ...{ name: 'color', in: place, required: true, style, explode, schemaPointer: undefined, json: false },
  pointer: '',
});

test.each(cases)('%s in a %s of the style %s (explode: %s) is read back unchanged', (...row) => {
  const [, place, style, explode, schema, given] = row;
  // These are not decoded, so they cannot carry the other letters.
  const carried = style === 'cookie' ? 'a%20b/&=,.' : place === 'header' ? 'a b/&=,;.' : given;
  const value = typeof given === 'string' ? carried : given;
  const text = writeParameter(build(place, style, explode), value);
  const numbers = (read: unknown): unknown =>
    JSON.parse(JSON.stringify(read, (_, part: unknown) => (typeof part === 'bigint' ? Number(part) : part)));
  expect(numbers(readColor({ in: place, name: 'color', style, explode, schema }, text ?? ''))).toEqual(value);
});
