import fc from 'fast-check';
import { Router } from '../../../src/contract/operations/routes';

function routerOf(paths: readonly string[]): Router<string> {
  const router = new Router<string>();
  for (const path of paths) router.add(path, path);
  return router;
}

const found = (paths: readonly string[], path: string): unknown => {
  const match = routerOf(paths).find(path);
  return match && [match.target, ...match.values];
};

/** What the comparison with an exhaustive search below does not try. */
describe('a path leads to', () => {
  test.each<[string, string[], string, unknown]>([
    ['no template for an empty segment', ['/a/{x}', '/{x}/{y}'], '/a/', undefined],
    [
      'names of Object.prototype',
      ['/__proto__/{x}', '/constructor'],
      '/__proto__/toString',
      ['/__proto__/{x}', 'toString'],
    ],
    ['no names of Object.prototype', ['/a', '/{x}/a'], '/constructor', undefined],
    [
      'a path that the request percent-encodes',
      ['/caf\u00e9 au lait/{x}'],
      '/caf%c3%A9%20au%20lait/1',
      ['/caf\u00e9 au lait/{x}', '1'],
    ],
    ['characters that only some clients encode', ['/a|b', '/a[{x}]'], '/a%7cb', ['/a|b']],
    [
      'characters that only some clients encode, in a template',
      ['/a|b', '/a[{x}]'],
      '/a%5B1%5d',
      ['/a[{x}]', '1'],
    ],
    ['a percent sign as it is sent', ['/100%', '/100%25/a'], '/100%25', ['/100%']],
    ['nothing for a needlessly encoded letter', ['/a'], '/%61', undefined],
    ['a value that is not decoded', ['/{x}'], '/%zz\u00e9%2f', ['/{x}', '%zz\u00e9%2F']],
  ])('%s', (_, paths, path, want) => {
    expect(found(paths, path)).toEqual(want);
  });
});

/** Each way to match a text with these literals, by exhaustive search; the shortest values first. */
function readings(literals: readonly string[], text: string): string[][] {
  const [literal = '', ...rest] = literals;
  if (!text.startsWith(literal)) return [];
  const behind = text.slice(literal.length);
  if (rest.length === 0) return behind === '' ? [[]] : [];
  return Array.from({ length: behind.length }, (_, i) => behind.slice(0, i + 1)).flatMap((value) =>
    readings(rest, behind.slice(value.length)).map((values) => [value, ...values]),
  );
}

/** The winning path by the rules of the specification, tried on all paths without backtracking between segments. */
function referenceMatch(paths: readonly string[], path: string): unknown {
  const segments = path.split('/');
  const literalsOf = (segment: string) => segment.split(/\{\w*\}/);
  let left = paths
    .map((template) => ({ template, parts: template.split('/').map(literalsOf) }))
    .filter(
      ({ parts }) =>
        parts.length === segments.length &&
        parts.every((literals, i) => readings(literals, segments[i] ?? '').length > 0),
    );
  for (const i of segments.keys()) {
    const rank = (parts: string[][]) => {
      const literals = parts[i] ?? [];
      return literals.length === 1 ? -Infinity : literals.length - 100 * literals.join('').length;
    };
    const best = Math.min(...left.map(({ parts }) => rank(parts)));
    left = left.filter(({ parts }) => rank(parts) === best);
    // Of the most concrete, the first in the document, and all that share its beginning.
    const shape = left[0]?.parts[i]?.join('{}');
    left = left.filter(({ parts }) => parts[i]?.join('{}') === shape);
  }
  const [winner] = left;
  if (!winner) return undefined;
  return [
    winner.template,
    ...winner.parts.flatMap((literals, i) => readings(literals, segments[i] ?? '')[0] ?? []),
  ];
}

test('finds the path that an exhaustive search finds', () => {
  const name = fc.constantFrom('{a}', '{b}');
  const text = fc.constantFrom('a', 'b', '-', 'ab', '.');
  const segment = fc
    .array(fc.oneof(text, name), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join(''));
  const template = fc.array(
    fc.oneof({ weight: 2, arbitrary: fc.constantFrom('a', 'b', '{a}', '{b}') }, segment),
    {
      minLength: 1,
      maxLength: 4,
    },
  );
  const letters = fc.array(fc.constantFrom('a', 'b', '-', '.'), { maxLength: 5 }).map((all) => all.join(''));
  const wanted = fc.array(fc.oneof(fc.constantFrom('a', 'b'), letters), { minLength: 1, maxLength: 4 });
  const path = (segments: string[]) => `/${segments.join('/')}`;
  fc.assert(
    fc.property(
      fc.array(template.map(path), { maxLength: 12 }),
      fc.array(wanted.map(path), { minLength: 5, maxLength: 5 }),
      (templates, requests) => {
        const shapes = new Map([...templates].reverse().map((each) => [each.replace(/\{\w\}/g, '{}'), each]));
        const distinct = templates.filter(
          (each, i) => templates.indexOf(each) === i && [...shapes.values()].includes(each),
        );
        for (const request of requests)
          expect(found(distinct, request)).toEqual(referenceMatch(distinct, request));
      },
    ),
    { numRuns: 500 },
  );
});
