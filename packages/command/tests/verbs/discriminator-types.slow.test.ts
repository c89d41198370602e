import ts from 'typescript';
import type { JsonObject } from 'contract-first-server';
import { clientsOfAll, compileTexts, typesOfAll } from '../../../../scripts/testing/compile';
import { buildDocument, json } from '../../../../scripts/testing/service';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string' };
const branch = (t: object, more: object = {}) => ({
  type: 'object',
  required: ['t'],
  properties: { t, ...more },
});
/** A schema with this has a copy for requests. */
const split = { id: { type: 'integer', readOnly: true } };
const union = (branches: readonly object[], mapping?: object) => ({
  oneOf: branches,
  discriminator: { propertyName: 't', ...(mapping && { mapping }) },
});

/** Schemas, and the names by which the discriminator of Body selects. */
const UNIONS: readonly (readonly [string, JsonObject, readonly string[]])[] = [
  ...[{}, split].flatMap((more): [string, JsonObject, readonly string[]][] => [
    [
      'components',
      {
        X: branch({ const: 'x' }, more),
        Y: branch({ enum: ['y', 'y2'] }),
        Body: union([ref('X'), ref('Y')]),
      },
      ['x', 'y', 'y2'],
    ],
    [
      'components and an inline branch',
      { X: branch({ const: 'x' }, more), Body: union([ref('X'), branch({ const: 'y' })]) },
      ['x', 'y'],
    ],
    ['inline branches', { Body: union([branch({ const: 'x' }, more), branch({ const: 'y' })]) }, ['x', 'y']],
    [
      'branches of any text',
      { X: branch(text, more), Y: branch(text), Body: union([ref('X'), ref('Y')]) },
      ['X', 'Y'],
    ],
    [
      'a mapping of one',
      { X: branch(text, more), Y: branch(text, more), Body: union([ref('X'), ref('Y')], { y: 'Y' }) },
      ['X', 'Y', 'y'],
    ],
    [
      'a shared enum',
      {
        Kind: { enum: ['x', 'y'] },
        X: branch(ref('Kind'), more),
        Y: branch(ref('Kind'), more),
        Body: union([ref('X'), ref('Y')], { x: 'X', y: 'Y' }),
      },
      ['x', 'y'],
    ],
    [
      'values that do not tell apart',
      { X: branch({ const: 'x' }, more), Y: branch({ const: 'x' }), Body: union([ref('X'), ref('Y')]) },
      ['x'],
    ],
    [
      'unions of unions',
      {
        X1: branch({ const: 'x1' }, more),
        X2: branch({ const: 'x2' }),
        X: union([ref('X1'), ref('X2')]),
        Y: branch({ const: 'y' }, more),
        Body: union([ref('X'), ref('Y')]),
      },
      ['x1', 'x2', 'y'],
    ],
  ]),
];
const documents = UNIONS.map(([, schemas]) =>
  buildDocument({
    operation: {
      requestBody: { required: true, content: json(ref('Body')) },
      responses: { 200: { description: '', content: json(ref('Body')) } },
    },
    components: { schemas },
  }),
);
const NAMES = ['x', 'x1', 'x2', 'y', 'y2', 'X', 'Y', 'z'];

it('types and clients have the names by which the server selects, and compile', () => {
  const types = typesOfAll(documents);
  const clients = clientsOfAll(documents);
  const files: Record<string, string> = {};
  UNIONS.forEach(([, , names], i) => {
    files[`types${i}.ts`] = types[i]?.text ?? '';
    files[`client${i}.ts`] = clients[i]?.text ?? '';
    files[`use${i}.ts`] = [
      `import type { components, operations } from './types${i}';`,
      `type Body = components['schemas']['Body'];`,
      `type Sent = NonNullable<operations['postThing']['requestBody']>['content']['application/json'];`,
      ...NAMES.flatMap((name, n) =>
        ['Body', 'Sent'].flatMap((type) => [
          ...(names.includes(name) ? [] : ['// @ts-expect-error no branch has the name']),
          `export const ${type.toLowerCase()}${n}: ${type} = { t: '${name}' };`,
        ]),
      ),
    ].join('\n');
  });
  const { diagnosticsOf } = compileTexts(__dirname, files);
  const wrong = Object.keys(files).flatMap((name) =>
    diagnosticsOf(name).map(({ messageText, start = 0 }) => {
      const line = (files[name] ?? '').slice(0, start).split('\n').length;
      const [, title] = /(\d+)/.exec(name) ?? [];
      return `${UNIONS[Number(title)]?.[0]} (${name}:${line}): ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    }),
  );
  expect(wrong).toEqual([]);
});
