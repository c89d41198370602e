import fc from 'fast-check';
import type { JsonObject } from 'contract-first-server';

/*
 * Small documents whose names collide: with each other, with words of the code that `new` writes, and with the columns of its
 * tables. Nested resources, keys that are nullable or read-only, and error bodies of every form.
 */

const WORDS =
  'id Id ID uuid key value values others other status body path query store now list get add count error error_code code message kind name type customer customers customer_id orders order items item limit offset where columns table sql rows select equal errorBody STATUS_CODES Problem Schema Kind data user user_id users open level2 class default'.split(
    ' ',
  );
const word = fc.constantFrom(...WORDS);
const text = { type: 'string' };
const TYPES: readonly object[] = [
  text,
  { type: 'integer' },
  { type: 'integer', format: 'int64' },
  { type: 'number' },
  { type: 'boolean' },
  { type: 'string', format: 'date-time' },
  { type: 'string', format: 'uuid' },
  { type: ['string', 'null'] },
  { type: ['integer', 'null'] },
  { enum: ['a', 'b'] },
  { enum: ['a', 'b', null] },
  { type: 'string', readOnly: true },
  { type: 'integer', readOnly: true },
  { type: 'string', writeOnly: true },
  { type: 'array', items: text },
  { type: 'object', properties: { id: text } },
  {},
];
const type = fc.constantFrom(...TYPES);
const keyType = fc.constantFrom(...TYPES.slice(0, 7), TYPES[11] ?? {}, TYPES[12] ?? {});

const properties = fc.dictionary(word, type, { minKeys: 0, maxKeys: 4 });
const objectSchema = fc
  .record({
    properties,
    id: fc.constantFrom('id', 'id', 'Id', 'uuid', 'key', 'user_id', 'value', undefined),
    keyType,
    isMade: fc.boolean(),
    required: fc.boolean(),
    open: fc.constantFrom<object>(
      {},
      {},
      {},
      {},
      { additionalProperties: true },
      { additionalProperties: false },
    ),
  })
  .map(({ properties, id, keyType, isMade, required, open }) => {
    const key = isMade ? { ...keyType, readOnly: true } : keyType;
    const all: Record<string, object> = { ...properties, ...(id !== undefined && { [id]: key }) };
    return {
      schema: { type: 'object', properties: all, ...(required && { required: Object.keys(all) }), ...open },
      ...{ id, keyType },
    };
  });

const json = (schema: object) => ({ description: 'a', content: { 'application/json': { schema } } });
const object = (properties: object, ...required: readonly string[]) => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
});
/** Responses of every form in which documents write errors. */
const ERRORS: readonly object[] = [
  { description: 'a' },
  json({}),
  json({ type: 'object' }),
  json(object({ detail: {} })),
  json(object({ detail: text })),
  json(object({ message: text }, 'message')),
  json(object({ error_code: { type: 'integer' }, error_message: text }, 'error_code')),
  json(object({ error: object({ code: { enum: ['a', 'b'] }, message: text }, 'code') }, 'error')),
  json(object({ errors: { type: 'array', items: object({ title: text, status: text }) } }, 'errors')),
  json(object({ code: { enum: [1, 2] }, type: { type: ['string', 'null'] } }, 'code', 'type')),
  json(
    object({ error: text, status: { type: 'integer' }, timestamp: { type: 'string', format: 'date-time' } }),
  ),
  json({ enum: ['bad'] }),
  json({ $ref: '#/components/schemas/Failure' }),
  {
    description: 'a',
    content: { 'application/problem+json': { schema: object({ title: text, status: { type: 'integer' } }) } },
  },
  { description: 'a', content: { 'text/plain': { schema: text } } },
];
const error = fc.constantFrom(...ERRORS);

const query = fc.array(fc.tuple(word, fc.constantFrom(text, { type: 'integer' }, { type: 'boolean' })), {
  maxLength: 3,
});
const envelope = fc.constantFrom('bare' as const, 'data' as const, 'counted' as const, 'more' as const);
const resource = fc.record({
  ...{ segment: word, parent: fc.option(fc.tuple(word, word), { freq: 2 }), own: objectSchema },
  parameter: fc.option(word, { freq: 2 }),
  ...{ made: fc.option(objectSchema, { freq: 1 }), isNamed: fc.boolean(), query, envelope },
  methods: fc.subarray(['post', 'list', 'put', 'patch', 'delete'], { minLength: 2 }),
  errors: fc.record({ 400: error, 404: error, 409: error, default: error }, { requiredKeys: [] }),
  removed: fc.constantFrom<object>({ 204: { description: 'a' } }, { 200: json({}) }),
});

type Resource = typeof resource extends fc.Arbitrary<infer T> ? T : never;

function pathsOf(
  {
    segment,
    parent,
    own,
    parameter: given,
    made,
    isNamed,
    query,
    envelope,
    methods,
    errors,
    removed,
  }: Resource,
  i: number,
) {
  const { schema, keyType } = own;
  const parameter = given ?? own.id ?? 'id';
  const ref = isNamed ? { $ref: `#/components/schemas/${segment}${i}` } : schema;
  const inPath = (name: string, schema: object) => ({ name, in: 'path', required: true, schema });
  const above = parent ? `/${parent[0]}/{${parent[1]}}` : '';
  const outer = parent && parent[1] !== parameter ? [inPath(parent[1], text)] : [];
  const all = `${outer.length > 0 ? above : ''}/${segment}${i === 0 ? '' : i}`;
  const of = (what: string, responses: object, more: object = {}) => ({
    operationId: `${what}${i}`,
    responses: { ...errors, ...responses },
    ...more,
  });
  const requestBody = { required: true, content: { 'application/json': { schema: made?.schema ?? ref } } };
  const items = { type: 'array', items: ref };
  const lists = {
    bare: items,
    data: object({ data: items }, 'data'),
    counted: object({ items, total: { type: 'integer' } }, 'items', 'total'),
    more: object({ data: items, has_more: { type: 'boolean' } }, 'data', 'has_more'),
  };
  const list = lists[envelope];
  const parameters = [...new Map(query).entries()].map(([name, schema]) => ({ name, in: 'query', schema }));
  const operations = {
    list: of('list', { 200: json(list) }, { parameters }),
    post: of('make', { 201: json(ref) }, { requestBody }),
    get: of('read', { 200: json(ref) }),
    put: of('put', { 200: json(ref) }, { requestBody }),
    patch: of('patch', { 200: json(ref) }, { requestBody }),
    delete: of('remove', removed),
  };
  const has = (name: keyof typeof operations) => methods.includes(name);
  return {
    [all]: {
      parameters: outer,
      ...(has('list') && { get: operations.list }),
      ...(has('post') && { post: operations.post }),
    },
    [`${all}/{${parameter}}`]: {
      parameters: [...outer, inPath(parameter, keyType)],
      get: operations.get,
      ...(has('put') && { put: operations.put }),
      ...(has('patch') && { patch: operations.patch }),
      ...(has('delete') && { delete: operations.delete }),
    },
  };
}

/** Documents of one to three resources each. */
export const collidingDocuments = (count: number, seed: number): JsonObject[] =>
  fc.sample(
    fc
      .tuple(fc.array(resource, { minLength: 1, maxLength: 3 }), objectSchema)
      .map(([resources, failure]): JsonObject => ({
        openapi: '3.1.0',
        info: { title: 'Shop', version: '1' },
        paths: Object.assign({}, ...resources.map(pathsOf)) as JsonObject,
        components: {
          schemas: {
            Failure: failure.schema,
            ...Object.fromEntries(
              resources.flatMap(({ segment, isNamed, own }, i) =>
                isNamed ? [[`${segment}${i}`, own.schema]] : [],
              ),
            ),
          },
        },
      })),
    { numRuns: count, seed },
  );
