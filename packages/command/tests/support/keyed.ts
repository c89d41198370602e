/** Documents whose paths have keys in one type, and whose objects have them in another. */

const text = { type: 'string' };
/** The schemas of keys, by a word for each. */
const SCHEMAS = {
  text,
  integer: { type: 'integer' },
  int64: { type: 'integer', format: 'int64' },
  int32: { type: 'integer', format: 'int32' },
  positive: { type: 'integer', minimum: 1 },
  small: { type: 'integer', minimum: 1, maximum: 1000 },
  uuid: { type: 'string', format: 'uuid' },
} as const;
type Word = keyof typeof SCHEMAS;
const WORDS = Object.keys(SCHEMAS) as Word[];

/** How a path calls the key of a thing. */
const NAMES = (one: string): string[] => ['id', `${one}_id`, one, 'text', 'number', 'key', 'status'];

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const NONE = { 404: { description: 'Not found.' } };

interface Keyed {
  readonly parameter: string;
  readonly inPath: object;
  readonly inBody: object;
}

/** A kind of things, with others below each. */
function thing(one: string, { parameter, inPath, inBody }: Keyed, isEnveloped: boolean) {
  const schema = {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: { ...inBody, readOnly: true }, name: { ...text, maxLength: 50 } },
  };
  const sent = isEnveloped ? { type: 'object', required: [one], properties: { [one]: schema } } : schema;
  const body = { requestBody: { required: true, ...json(sent) } };
  const done = (status: number) => ({ [status]: { description: 'Done.', ...json(schema) } });
  const part = {
    type: 'object',
    required: ['id', 'note'],
    properties: {
      id: { type: 'integer', format: 'int64', readOnly: true },
      note: { ...text, maxLength: 50 },
    },
  };
  const [path, inner] = [`/${one}s`, `/${one}s/{${parameter}}/parts`];
  const parameters = [{ name: parameter, in: 'path', required: true, schema: inPath }];
  const id = `${one}Of`;
  return {
    [path]: {
      get: {
        operationId: `list_${id}`,
        responses: { 200: { description: '', ...json({ type: 'array', items: schema }) } },
      },
      post: { operationId: `add_${id}`, ...body, responses: done(201) },
    },
    [`${path}/{${parameter}}`]: {
      parameters,
      get: { operationId: `get_${id}`, responses: { ...done(200), ...NONE } },
      put: { operationId: `put_${id}`, ...body, responses: { ...done(200), ...NONE } },
      delete: { operationId: `remove_${id}`, responses: { 204: { description: 'Gone.' }, ...NONE } },
    },
    [inner]: {
      parameters,
      get: {
        operationId: `list_parts_${id}`,
        responses: { 200: { description: '', ...json({ type: 'array', items: part }) }, ...NONE },
      },
      post: {
        operationId: `add_part_${id}`,
        requestBody: { required: true, ...json(part) },
        responses: { 201: { description: 'Done.', ...json(part) }, ...NONE },
      },
    },
    [`${inner}/{part_id}`]: {
      parameters: [...parameters, { name: 'part_id', in: 'path', required: true, schema: SCHEMAS.int64 }],
      get: { operationId: `get_part_${id}`, responses: { 200: { description: '', ...json(part) }, ...NONE } },
    },
  };
}

/** A document with a kind of things for each of these. */
function documentOf(title: string, kinds: readonly (readonly [one: string, Keyed, isEnveloped?: boolean])[]) {
  const error = {
    type: 'object',
    required: ['message', 'code'],
    properties: {
      message: text,
      code: { enum: ['conflict', 'bad_request', 'server_error'] },
    },
  };
  const paths = Object.assign(
    {},
    ...kinds.map(([one, keyed, isEnveloped = false]) => thing(one, keyed, isEnveloped)),
  ) as Record<string, Record<string, { responses?: object }>>;
  for (const item of Object.values(paths))
    for (const operation of Object.values(item))
      if (operation.responses)
        Object.assign(operation.responses, { default: { description: 'An error.', ...json(error) } });
  return { openapi: '3.1.0', info: { title, version: '1.0.0' }, security: [], paths };
}

/** One document for each type in the path with all types in the body, and one with names that collide. */
export const keyedDocuments = () => [
  ...WORDS.map((inPath) =>
    documentOf(
      `Keys ${inPath}`,
      WORDS.map((inBody) => [
        `${inBody}Thing`,
        { parameter: 'id', inPath: SCHEMAS[inPath], inBody: SCHEMAS[inBody] },
      ]),
    ),
  ),
  documentOf(
    'Keys with names',
    ['text', 'number', 'bag', 'key'].flatMap((one) =>
      NAMES(one).map(
        (parameter, i) =>
          [
            i === 0 ? one : `${one}${'abcdefg'[i] ?? ''}`,
            {
              parameter,
              inPath: SCHEMAS[one === 'text' ? 'text' : 'integer'],
              inBody: SCHEMAS[one === 'text' ? 'int64' : 'text'],
            },
            i % 2 === 1,
          ] as const,
      ),
    ),
  ),
];
