import { objects, accountOf, edited, completeDocument } from './complete';
import { type Kind, OBJECTS } from 'contract-first-server/tools';

const ALL = objects(completeDocument());
const kinds = [...OBJECTS.keys()];
const firstOf = (kind: Kind) => ALL.find((walked) => walked.kind === kind && !walked.documented);

it('has no remarks on a document whose keywords are all enforced or annotations', () => {
  expect(accountOf(completeDocument())).toEqual({ findings: [], remarks: [] });
  expect(kinds.filter((kind) => !ALL.some((walked) => walked.kind === kind))).toEqual([]);
});

const OPEN: readonly Kind[] = ['Schema', 'Reference'];
/** Objects that allow any name. */
const MAPS: readonly Kind[] = ['Callback', 'SecurityRequirement'];

it.each(kinds.filter((kind) => !MAPS.includes(kind)))(
  'an unknown keyword in a %s is reported with its place',
  (kind) => {
    const { pointer = '' } = firstOf(kind) ?? {};
    const { findings, remarks } = accountOf(edited(pointer, (value) => (value['unknwon'] = 1)));
    const lines = OPEN.includes(kind) ? remarks : findings;
    expect(lines).toContainEqual(expect.stringContaining(`${pointer}/unknwon: `));
  },
);

it.each(kinds.filter((kind) => !MAPS.includes(kind)))('an extension of a %s is documented', (kind) => {
  const { pointer = '' } = firstOf(kind) ?? {};
  const unknown = { $ref: '#/none', $id: 'a', unknwon: 1 };
  expect(accountOf(edited(pointer, (value) => (value['x-own'] = unknown)))).toEqual({
    findings: [],
    remarks: [],
  });
});

const VALUES: Readonly<Record<string, unknown>> = {
  'Parameter allowEmptyValue': true,
  'Encoding encoding': { a: {} },
  'Encoding prefixEncoding': [{}],
  'Encoding itemEncoding': {},
  'Encoding headers': { 'X-A': { schema: true } },
  'Schema $vocabulary': { 'https://a.example': true },
  'Schema contentSchema': { type: 'string' },
  'Schema dependencies': { a: ['b'] },
  'Schema $recursiveAnchor': '#',
};

const keywords = (support: string) =>
  [...OBJECTS.values()].flatMap(({ name: kind, keywords: all }) =>
    [...all].flatMap(([name, keyword]) => (keyword.support === support ? [[kind, name] as const] : [])),
  );

it.each(keywords('unenforced'))(
  '%s %s is reported with its place, because it is not enforced',
  (kind, name) => {
    const { pointer = '' } = firstOf(kind) ?? {};
    const document = edited(pointer, (value) => (value[name] = VALUES[`${kind} ${name}`] ?? 'a'));
    expect(accountOf(document)).toEqual({
      findings: [],
      remarks: [`${pointer}/${name}: ${name} is not enforced`],
    });
  },
);

it.each(keywords('refused'))('%s %s is refused with its place', (kind, name) => {
  const { pointer = '' } = firstOf(kind) ?? {};
  const document = edited(pointer, (value) => (value[name] = '#a'));
  expect(accountOf(document).findings).toContainEqual(expect.stringContaining(`${pointer}/${name}: `));
});

/** Data that contains no reference, anchor or schema. */
const DATA = { $ref: '#/none', $anchor: 'same', $id: 'a', $schema: 'b', $dynamicRef: 'c', unknwon: 1 };
const PLACES_OF_DATA: readonly (readonly [Kind, string, unknown])[] = [
  ['Schema', 'const', DATA],
  ['Schema', 'enum', [DATA, { ...DATA, more: DATA }]],
  ['Schema', 'default', DATA],
  ['Schema', 'example', DATA],
  ['Schema', 'examples', [DATA]],
  ['MediaType', 'example', DATA],
  ['MediaType', 'examples', { $ref: { value: DATA } }],
  ['Parameter', 'example', DATA],
  ['Header', 'example', DATA],
  ['Example', 'value', DATA],
  ['Link', 'requestBody', DATA],
  ['Link', 'parameters', { $ref: '#/none', $id: 'a' }],
];

it.each(PLACES_OF_DATA)('%s %s is data: a member $ref in it is not a reference', (kind, name, value) => {
  const pointer =
    ALL.find((walked) => walked.kind === kind && !(walked.value['type'] !== undefined))?.pointer ?? '';
  const document = edited(pointer, (object) => {
    if (name === 'example') Reflect.deleteProperty(object, 'examples');
    object[name] = value;
  });
  expect(accountOf(document)).toEqual({ findings: [], remarks: [] });
});

it.each(['properties', 'patternProperties', 'dependentSchemas', '$defs'])(
  'any name in %s is data and not a keyword',
  (name) => {
    const named = {
      $ref: true,
      $id: true,
      $anchor: true,
      enum: { const: 1 },
      constructor: true,
      unknwon: true,
    };
    const document = edited('/components/schemas/Cat', (schema) => (schema[name] = named));
    expect(accountOf(document)).toEqual({ findings: [], remarks: [] });
  },
);

it('remarks on a format that is not enforced', () => {
  const document = edited('/components/schemas/Cat', (schema) => (schema['format'] = 'nosuch'));
  expect(accountOf(document)).toEqual({
    findings: [],
    remarks: ['/components/schemas/Cat/format: format nosuch is not enforced: the format is not known'],
  });
});

it.each([
  ['const', { a: [9007199254740993n] }],
  ['enum', [1, -9007199254740993n]],
  ['default', 9007199254740993n],
  ['minimum', 9007199254740993n],
  ['exclusiveMinimum', 9007199254740993n],
  ['maximum', 9007199254740993n],
  ['exclusiveMaximum', 9007199254740993n],
  ['multipleOf', 9007199254740993n],
])('remarks on %s beyond 2^53, unless handlers receive a bigint', (name, value) => {
  const at = '/components/schemas/Cat';
  const remarksOf = (more: object) =>
    accountOf(edited(at, (schema) => Object.assign(schema, { [name]: value }, more))).remarks;
  expect(remarksOf({})).toEqual([
    `${at}/${name}: ${name} is beyond 2^53: without the format int64, handlers get such integers rounded`,
  ]);
  expect(remarksOf({ type: 'integer', format: 'int64' })).toEqual([]);
});

it('remarks on keywords without effect, and on fields that other parts define', () => {
  const idle = { then: false, else: false, minContains: 2, maxContains: 3 };
  expect(
    accountOf(edited('/components/schemas/Cat', (schema) => Object.assign(schema, idle))).remarks,
  ).toEqual([
    '/components/schemas/Cat/then: then has no effect without if',
    '/components/schemas/Cat/else: else has no effect without if',
    '/components/schemas/Cat/minContains: minContains has no effect without contains',
    '/components/schemas/Cat/maxContains: maxContains has no effect without contains',
  ]);
  const described = edited('/paths/~1things/get', (operation) => {
    operation['parameters'] = [{ name: 'accept', in: 'header', schema: true }];
    operation['responses'] = {
      100: { description: '' },
      200: { description: '', headers: { 'Content-Type': { schema: true } }, content: {} },
    };
  });
  expect(accountOf(described).remarks).toEqual([
    '/paths/~1things/get/parameters/0: is not enforced: accept is described by other parts of the document',
    '/paths/~1things/get/responses/100: is not enforced: informational responses are not sent',
    '/paths/~1things/get/responses/200/headers/Content-Type: is not enforced: is described by the media types',
  ]);
});
