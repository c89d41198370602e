import type { JsonObject } from 'contract-first-server';
import { openApi } from './adversary';

/** Documents that grow, each in one respect: what they cost at start, and before the first request. */
export interface Growing {
  readonly about: string;
  /** @param count how many of what grows */
  readonly make: (count: number) => JsonObject;
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const named = (count: number, make: (index: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(many(count, (i) => [`n${i}`, make(i)]));
const responses = { 204: { description: 'done' } };
const body = (schema: unknown) => ({ requestBody: { content: { 'application/json': { schema } } } });
const one = (schema: unknown, schemas: object = {}): JsonObject =>
  openApi({ '/things': { post: { operationId: 'postThing', ...body(schema), responses } } }, { schemas });
const reference = (i: number) => ({ $ref: `#/components/schemas/n${i}` });
const branch = (i: number) => ({
  type: 'object',
  required: [`p${i}`],
  properties: { [`p${i}`]: { type: 'integer', format: 'int64' } },
});

/** Four properties for each of `count`, with the keywords for which the validator calls functions of this project. */
const objectsOf = (count: number): object => {
  const schemas = [
    { type: 'integer', maximum: 5 },
    { type: 'array', uniqueItems: true },
    { enum: [1, 'a'] },
    { type: 'string', format: 'binary' },
  ];
  const properties = Object.fromEntries(many(25, (i) => [`p${i}`, schemas[i % schemas.length]]));
  return Object.fromEntries(many((4 * count) / 25, (i) => [`o${i}`, { properties }]));
};

export const growing: readonly Growing[] = [
  {
    about: 'operations',
    make: (count) =>
      openApi(
        Object.fromEntries(
          many(count, (i) => [`/n${i}`, { post: { operationId: `n${i}`, ...body(branch(i)), responses } }]),
        ),
      ),
  },
  { about: 'properties', make: (count) => one({ type: 'object', properties: named(count, branch) }) },
  { about: 'branches of oneOf', make: (count) => one({ oneOf: many(count, branch) }) },
  { about: 'branches of anyOf', make: (count) => one({ anyOf: many(count, branch) }) },
  { about: 'parts of allOf', make: (count) => one({ allOf: many(count, branch) }) },
  {
    about: 'schemas in a row of references',
    make: (count) =>
      one(
        reference(0),
        named(count, (i) => (i < count - 1 ? { properties: { next: reference(i + 1) } } : {})),
      ),
  },
  {
    about: 'schemas that are all of the next',
    make: (count) =>
      one(
        reference(0),
        named(count, (i) => (i < count - 1 ? { allOf: [reference(i + 1), branch(i)] } : {})),
      ),
  },
  {
    about: 'schemas that refer to the next twice',
    make: (count) =>
      one(
        reference(0),
        named(count, (i) =>
          i < count - 1 ? { anyOf: [reference(i + 1), { properties: { a: reference(i + 1) } }] } : {},
        ),
      ),
  },
  {
    about: 'schemas that are twice all of the next',
    make: (count) =>
      one(
        reference(0),
        named(count, (i) => (i < count - 1 ? { allOf: [reference(i + 1), reference(i + 1)] } : {})),
      ),
  },
  {
    about: 'recursive schemas that all refer to each other',
    make: (count) =>
      one(
        reference(0),
        named(count, (i) => ({
          oneOf: [reference((i + 1) % count).$ref, reference((i + 7) % count).$ref].map(($ref) => ({
            properties: { a: { $ref } },
          })),
        })),
      ),
  },
  { about: 'names in an enum', make: (count) => one({ enum: many(count, (i) => `n${i}`) }) },
  // Ten times as many: one name costs so little that hundreds do not show how the cost grows.
  { about: 'required names', make: (count) => one({ required: many(10 * count, (i) => `n${i}`) }) },
  {
    about: 'names that another requires',
    make: (count) => one({ dependentRequired: { a: many(10 * count, (i) => `n${i}`) } }),
  },
  // In objects of 25, because the code of one with thousands of properties is nested too deep.
  {
    about: 'properties with a keyword of this project',
    make: (count) => one({ properties: objectsOf(count) }),
  },
];
