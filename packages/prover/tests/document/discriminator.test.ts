import { Validator } from '@cfworker/json-schema';
import { createOracle, readDocument } from 'contract-first-prover';
import { parse } from '../../src/json/value';
import { Discriminators, OpenApiDocument } from 'contract-first-server/tools';
import { cases, everyOf } from '../../../../scripts/testing/cases';
import { buildDocument, json } from '../../../../scripts/testing/service';
import { judged } from '../../../server/tests/support/judged';

type Schema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, unknown>>;

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string' };

/** How a branch restricts the property `t`: X is its own name, Y that of the other branch. */
const PROPERTIES: readonly (readonly [string, (own: string, other: string) => Schema | undefined])[] = [
  ['const', (own) => ({ const: own.toLowerCase() })],
  ['enum', (own) => ({ enum: [own.toLowerCase(), `${own.toLowerCase()}2`] })],
  ['an enum with its own name', (own) => ({ type: 'string', enum: [own, own.toLowerCase()] })],
  ['the enum of all branches', () => ({ $ref: '#/components/schemas/Kind' })],
  ['the name of the other branch', (_, other) => ({ const: other })],
  ['numbers', (own) => ({ enum: [own.charCodeAt(0), own] })],
  ['an integer', () => ({ type: 'integer' })],
  ['any text', () => text],
  ['absent', () => undefined],
];
const PLACES = ['component', 'inline', 'reference with a keyword', 'union of components'] as const;
const MAPPINGS: Readonly<Record<string, Schema>> = {
  none: {},
  one: { mapping: { x: 'X' } },
  all: { mapping: { x: 'X', y: '#/components/schemas/Y' } },
  swapped: { mapping: { x: 'Y', y: 'X' } },
  other: { mapping: { other: 'X' } },
};
const LISTED = ['const', 'enum', 'an enum with its own name', 'the name of the other branch'];

interface Case {
  readonly title: string;
  readonly schemas: Schemas;
  /** Whether each branch lists values that no other one has. */
  readonly isListed: boolean;
  readonly mapping: string;
}

function* unions(): Generator<Case> {
  for (const [first, firstOf] of PROPERTIES)
    for (const [second, secondOf] of PROPERTIES)
      for (const place of PLACES)
        for (const otherPlace of PLACES)
          for (const [mapping, mapped] of Object.entries(MAPPINGS))
            for (const keyword of ['oneOf', 'anyOf']) {
              const schemas: Record<string, unknown> = { Kind: { type: 'string', enum: ['x', 'y', 'z'] } };
              const branch = (name: string, where: string, t: Schema | undefined, only: string) => {
                const schema = {
                  type: 'object',
                  required: ['t'],
                  properties: { ...(t && { t }), [only]: { type: 'integer' } },
                };
                schemas[name] = where === 'union of components' ? { oneOf: [ref(`${name}1`)] } : schema;
                if (where === 'union of components') schemas[`${name}1`] = schema;
                if (where === 'inline') return schema;
                return where === 'reference with a keyword' ? { ...ref(name), maxProperties: 2 } : ref(name);
              };
              const branches = [
                branch('X', place, firstOf('X', 'Y'), 'a'),
                branch('Y', otherPlace, secondOf('Y', 'X'), 'b'),
                { type: 'null' },
              ];
              schemas['Body'] = {
                [keyword]: branches,
                discriminator: { propertyName: 't', ...mapped },
              };
              const isListed = LISTED.includes(first) && LISTED.includes(second);
              yield {
                title: `${keyword} of a ${place} with ${first} and a ${otherPlace} with ${second}, mapping ${mapping}`,
                schemas,
                isListed,
                mapping,
              };
            }
}

const NAMES = ['x', 'y', 'x2', 'z', 'X', 'Y', 'X1', 'other', 88, 1, undefined];
const BODIES = [
  null,
  ...NAMES.flatMap((t) => [
    { t },
    { t, a: 1 },
    { t, a: 'no' },
    { t, b: 'no' },
    { t, a: 'no', b: 'no' },
    { t, c: 1, d: 1 },
  ]),
].map((body) => JSON.stringify(body));

/** What decides about these bodies: the server, the prover, and the same document without discriminators. */
function verdicts(schemas: Schemas) {
  const pointer = '/components/schemas/Body';
  const server = judged(schemas);
  const plain = { ...(schemas['Body'] as Schema), discriminator: undefined };
  const validator = new Validator(
    { ...ref('Body'), components: { schemas: { ...schemas, Body: plain } } },
    '2020-12',
  );
  const prover = createOracle(
    readDocument({
      ...buildDocument({
        operation: { requestBody: { content: json(ref('Body')) } },
        components: { schemas },
      }),
    } as never).requests,
  );
  return BODIES.map((body) => ({
    body,
    server: server.first(body).length === 0,
    prover: prover.valid(pointer, parse(body)),
    plain: validator.validate(JSON.parse(body)).valid,
  }));
}

/** The finding and remark of the discriminator. */
function reading(schemas: Schemas) {
  const document = new OpenApiDocument(buildDocument({ components: { schemas } }));
  const discriminators = new Discriminators(document);
  discriminators.check();
  const found = discriminators.at('/components/schemas/Body', schemas['Body'] as Schema);
  return { findings: document.findings, remarks: document.remarks, found };
}

const ALL = [...unions()];
// The step has no factor in common with the numbers of choices, so that each choice meets each other one.
const STEP = 7;
const READ = everyOf(ALL, STEP);
const served = READ.map((one) => ({ ...one, ...reading(one.schemas) })).filter(
  ({ findings }) => findings.length === 0,
);

it('covers unions that are served, and others that stop the start', () => {
  expect(ALL.length).toBe(9 * 9 * 4 * 4 * 5 * 2);
  expect(served.length).toBeGreaterThan(cases(2000 / STEP, 2000));
  expect(READ.length - served.length).toBeGreaterThan(cases(2000 / STEP, 2000));
});

it('a discriminator does not change which values conform', () => {
  const step = Math.floor(served.length / cases(60, 600));
  const wrong = served
    .filter((_, i) => i % step === 0)
    .flatMap(({ title, schemas, found, isListed }) =>
      verdicts(schemas).flatMap(({ body, server, prover, plain }) => {
        // Where a branch has any value, its names restrict it, and select it where others hold too.
        const isPlain = isListed || found === undefined;
        const faults = [
          ...(server === prover ? [] : [`the server says ${server}, the prover ${prover}`]),
          ...(isPlain && server !== plain ? [`the server says ${server}, the plain schema ${plain}`] : []),
        ];
        return faults.map((fault) => `${title}: ${body}: ${fault}`);
      }),
    );
  expect(wrong.slice(0, 20)).toEqual([]);
});

it('has a remark exactly where it selects nothing', () => {
  const wrong = served.filter(({ found, remarks }) => (found === undefined) !== (remarks.length === 1));
  expect(wrong.map(({ title }) => title)).toEqual([]);
});

it('a written name that its schema contradicts stops the start, with both places', () => {
  const others = ALL.filter(({ mapping }) => mapping === 'other');
  const contradicted = everyOf(others, STEP).map((one) => ({ ...one, ...reading(one.schemas) }));
  const admits = ({ schemas }: Case) => {
    const named = schemas['X'] as { properties?: { t?: Schema }; oneOf?: unknown };
    const { properties } = (named.oneOf ? schemas['X1'] : named) as { properties: { t?: Schema } };
    return !properties.t || 'type' in properties.t ? !('enum' in (properties.t ?? {})) : false;
  };
  expect(
    contradicted.filter((one) => admits(one) !== (one.findings.length === 0)).map(({ title }) => title),
  ).toEqual([]);
  const [first] = contradicted.filter(({ findings }) => findings.length > 0);
  expect(first?.findings).toMatchObject([
    {
      pointer: '/components/schemas/Body/discriminator/mapping/other',
      message:
        'selects X, which admits only ["x"] as t (#/components/schemas/X/properties/t): no value can conform',
    },
  ]);
});

it('the values of the branches are the names, in OpenAI’s union of messages', () => {
  const message = (role: string) => ({
    type: 'object',
    required: ['role', 'content'],
    properties: { role: { type: 'string', enum: [role] }, content: text },
  });
  const schemas = {
    Body: { oneOf: [ref('System'), ref('User'), message('tool')], discriminator: { propertyName: 'role' } },
    System: message('system'),
    User: { allOf: [message('user')] },
  };
  const { found, remarks } = reading(schemas);
  expect([...(found?.branches ?? [])]).toEqual([
    ['system', '/components/schemas/System'],
    ['user', '/components/schemas/User'],
    ['tool', '/components/schemas/Body/oneOf/2'],
  ]);
  expect(remarks).toEqual([]);
});

it('the values of subtypes are their names', () => {
  const subtype = (kind: Schema) => ({ allOf: [ref('Body'), { properties: { kind } }] });
  const parent = (kind: Schema) => ({
    type: 'object',
    required: ['kind'],
    properties: { kind },
    discriminator: { propertyName: 'kind' },
  });
  const listed = {
    Body: parent(text),
    Cat: subtype({ const: 'cat' }),
    Dog: subtype({ enum: ['dog', 'hound'] }),
  };
  expect([...(reading(listed).found?.branches.keys() ?? [])]).toEqual(['cat', 'dog', 'hound', 'Body']);
  const shared = { Body: parent({ enum: ['cat', 'dog'] }), Cat: subtype({}), Dog: subtype({}) };
  const { found, remarks } = reading(shared);
  expect(found).toBeUndefined();
  expect(remarks).toMatchObject([
    {
      message: expect.stringContaining('not its own name "Cat"') as string,
      pointer: '/components/schemas/Body/discriminator',
    },
  ]);
  for (const schemas of [listed, shared]) {
    const bodies = ['cat', 'dog', 'hound', 'Cat', 'Body', 'cow'].map((kind) => JSON.stringify({ kind }));
    const prover = createOracle(
      readDocument(
        buildDocument({
          operation: { requestBody: { content: json(ref('Body')) } },
          components: { schemas },
        }) as never,
      ).requests,
    );
    const server = judged(schemas);
    expect(bodies.map((body) => server.first(body).length === 0)).toEqual(
      bodies.map((body) => prover.valid('/components/schemas/Body', parse(body))),
    );
    expect(server.first('{"kind":"cat"}')).toEqual([]);
  }
});
