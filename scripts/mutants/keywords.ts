import {
  asArray,
  asObject,
  asString,
  escapeToken,
  type Json,
  type JsonObject,
  nodeAt,
  objectAt,
  pointerOf,
  readDocument,
  resolvePointer,
} from 'contract-first-prover';

/** A document without one of its keywords: a server that has only this one does not enforce that keyword. */
export interface Deletion {
  /** `maxLength`, `format: uuid`, `style of a parameter`. */
  readonly keyword: string;
  readonly document: JsonObject;
}

const ONE = [
  ...['not', 'if', 'then', 'else', 'items', 'contains', 'additionalProperties', 'propertyNames'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', 'dependentSchemas'];
/** Keywords that a server enforces on requests (JSON Schema 2020-12 and section 4.8.24 of OpenAPI 3.1). */
const KEYWORDS = [
  ...[...ONE, ...LISTS, ...MAPS, '$ref', 'type', 'enum', 'const', 'multipleOf', 'required'],
  ...['maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum', 'maxLength', 'minLength', 'pattern'],
  ...['maxItems', 'minItems', 'uniqueItems', 'maxContains', 'minContains', 'maxProperties', 'minProperties'],
  ...['dependentRequired', 'format', 'readOnly', 'writeOnly', 'default', 'discriminator'],
];
/** Keywords of which each argument is a keyword of its own. */
const BY_ARGUMENT = ['format', 'type'];
/** Keywords of which each place is one to forget. */
const BY_PLACE = ['readOnly', 'writeOnly'];
const WORDS_OF_PARAMETERS = ['required', 'style', 'explode'];
const WORDS_OF_OPERATIONS = ['parameters', 'requestBody', 'security', 'x-body-limit'];
const WORDS_OF_MEDIA_TYPES = ['itemSchema', 'x-item-schema', 'x-stream'];
const WORDS_OF_ENCODINGS = ['contentType', 'headers', 'style', 'explode'];

/** Deletions that no request can show, each with its reason: they change nothing, or such a document is rejected at the start. */
export const EQUIVALENT: Readonly<Record<string, string>> = {
  'composition.yaml discriminator': 'each of its branches has the name of its kind as a const',
  'events.yaml servers of the document': 'the base path of its servers is that of a document without servers',
  'media.yaml format: binary': 'every sequence of bytes fits',
  'numbers.yaml format: double': 'every number that JSON readers take fits',
  'parameters.yaml type: array': 'its neighbor `items` is enough to read the text of a list',
  'openapi-3-2.yaml type: array':
    'its neighbors `items` and `prefixItems` are enough to read parts as a list',
  'siblings.yaml type: string': 'a parameter of a path without a type is read as a string',
  'parameters.yaml minItems': 'a label without items is a segment that no path matches',
  'brackets.yaml minItems': 'a list without items has no field in a form',
  'brackets.yaml explode of a parameter': 'deepObject has one form, exploded or not',
  'brackets.yaml explode of an encoding': 'deepObject has one form, exploded or not',
  'brackets.yaml style of a parameter': 'without brackets, text does not tell an object from an integer',
  'brackets.yaml style of an encoding': 'without brackets, text does not tell an object from a string',
};

/** Every keyword of a document that is about requests, deleted wherever the document has it. */
export function deletions(json: JsonObject): Deletion[] {
  const places = [...schemaKeywords(json), ...documentKeywords(json)];
  const byWord = new Map<string, string[][]>();
  for (const [name, pointer, key] of places) byWord.set(name, [...(byWord.get(name) ?? []), [pointer, key]]);
  return [...byWord].map(([name, occurrences]) => {
    const document = structuredClone(json);
    const owners = occurrences.map(([pointer = '', key = '']) => [objectAt(document, pointer), key] as const);
    for (const [owner, key] of owners) {
      Reflect.deleteProperty(owner, key);
      // An operation without a body has no limit of it.
      if (key === 'requestBody') Reflect.deleteProperty(owner, 'x-body-limit');
      // A closed object that lists nothing has no value with the properties that it requires.
      if (key === 'properties' && owner['additionalProperties'] === false)
        Reflect.deleteProperty(owner, 'additionalProperties');
    }
    return { keyword: name, document };
  });
}

type Occurrence = readonly [keyword: string, pointer: string, key: string];

function schemaKeywords(json: JsonObject): Occurrence[] {
  const { operations } = readDocument(json);
  const roots = operations
    .flatMap(({ parameters, body }) => [
      ...parameters.map(({ schema }) => schema),
      ...(body?.content ?? []).flatMap(({ schema, items }) => [schema ?? [], items ?? []].flat()),
    ])
    .map((pointer) => written(json, pointer));
  const seen = new Set<string>();
  return roots.flatMap((root) =>
    schemaObjects(json, root, seen).flatMap((pointer) => {
      const schema = objectAt(json, pointer);
      const marked = schema['readOnly'] === true;
      const isMapped = asObject(schema['discriminator'])['defaultMapping'] !== undefined;
      const mapped: Occurrence = ['defaultMapping', `${pointer}/discriminator`, 'defaultMapping'];
      const found = KEYWORDS.filter(
        (keyword) => keyword in schema && (!marked || keyword === 'readOnly'),
      ).map((keyword): Occurrence => {
        const name = BY_ARGUMENT.includes(keyword) ? `${keyword}: ${text(schema[keyword])}` : keyword;
        return [BY_PLACE.includes(keyword) ? `${keyword} at ${pointer}` : name, pointer, keyword];
      });
      return isMapped ? [...found, mapped] : found;
    }),
  );
}

/** Where the document itself has what a path item has from its reference. */
function written(json: JsonObject, pointer: string): string {
  const [, item = '', field = '', rest = ''] = /^(\/paths\/[^/]*)\/([^/]*)(.*)$/.exec(pointer) ?? [];
  if (item === '' || field in objectAt(json, item)) return pointer;
  return `${resolvePointer(json, item)}/${field}${rest}`;
}

const text = (json: Json | undefined): string => (typeof json === 'string' ? json : JSON.stringify(json));

/** Pointers of the schema at a pointer and of all that it is made of; what is `readOnly` describes no request. */
function schemaObjects(json: JsonObject, pointer: string, seen: Set<string>): string[] {
  const schema = nodeAt(json, pointer);
  if (seen.has(pointer) || typeof schema === 'boolean') return [];
  seen.add(pointer);
  const node = asObject(schema);
  if (node['readOnly'] === true) return [pointer];
  const below = [
    ...(typeof node['$ref'] === 'string' ? [pointerOf(node['$ref'].replace(/^[^#]+/, ''))] : []),
    ...ONE.filter((keyword) => keyword in node).map((keyword) => `${pointer}/${keyword}`),
    ...LISTS.flatMap((keyword) =>
      [...asArray(node[keyword]).keys()].map((i) => `${pointer}/${keyword}/${i}`),
    ),
    ...MAPS.flatMap((keyword) =>
      Object.keys(asObject(node[keyword])).map((name) => `${pointer}/${keyword}/${escapeToken(name)}`),
    ),
  ];
  return [pointer, ...below.flatMap((inner) => schemaObjects(json, inner, seen))];
}

function documentKeywords(json: JsonObject): Occurrence[] {
  const found: Occurrence[] = [];
  const keywords = (kind: string, pointer: string, keys: readonly string[]): void => {
    const node = objectAt(json, pointer);
    for (const key of keys) if (key in node) found.push([`${key} of ${kind}`, pointer, key]);
  };
  const parameters = (owner: string): void => {
    for (const index of asArray(objectAt(json, owner)['parameters']).keys()) {
      const pointer = resolvePointer(json, `${owner}/parameters/${index}`);
      // A parameter of a path is always required.
      const keys = WORDS_OF_PARAMETERS.filter(
        (key) => key !== 'required' || asString(objectAt(json, pointer)['in']) !== 'path',
      );
      keywords('a parameter', pointer, keys);
    }
  };
  const mediaTypes = (owner: string): void => {
    for (const name of Object.keys(asObject(objectAt(json, owner)['content']))) {
      const media = resolvePointer(json, `${owner}/content/${escapeToken(name)}`);
      // Parts that are no fields are served as items only.
      if (!name.startsWith('multipart/')) keywords('a media type', media, WORDS_OF_MEDIA_TYPES);
      const { encoding, prefixEncoding, itemEncoding } = objectAt(json, media);
      for (const key of Object.keys(asObject(encoding)))
        keywords('an encoding', `${media}/encoding/${escapeToken(key)}`, WORDS_OF_ENCODINGS);
      for (const index of asArray(prefixEncoding).keys())
        keywords('prefixEncoding', `${media}/prefixEncoding/${index}`, WORDS_OF_ENCODINGS);
      if (itemEncoding !== undefined) keywords('itemEncoding', `${media}/itemEncoding`, WORDS_OF_ENCODINGS);
    }
  };
  keywords('the document', '', ['security', 'servers']);
  for (const path of Object.keys(asObject(json['paths']))) {
    const item = resolvePointer(json, `/paths/${escapeToken(path)}`);
    keywords('a path item', item, ['servers']);
    parameters(item);
    const additional = Object.keys(asObject(objectAt(json, item)['additionalOperations']));
    const operations = [
      ...['get', 'put', 'post', 'delete', 'patch', 'query'].filter((name) => name in objectAt(json, item)),
      ...additional.map((name) => `additionalOperations/${escapeToken(name)}`),
    ];
    for (const place of operations) {
      const operation = `${item}/${place}`;
      // A document that does not describe a parameter of its path is not served.
      const inPath = asArray(objectAt(json, operation)['parameters']).some(
        (_, i) =>
          asString(objectAt(json, resolvePointer(json, `${operation}/parameters/${i}`))['in']) === 'path',
      );
      keywords(
        'an operation',
        operation,
        WORDS_OF_OPERATIONS.filter((key) => key !== 'parameters' || !inPath),
      );
      parameters(operation);
      for (const status of Object.keys(asObject(objectAt(json, operation)['responses'])))
        mediaTypes(resolvePointer(json, `${operation}/responses/${status}`));
      if (!('requestBody' in objectAt(json, operation))) continue;
      const body = resolvePointer(json, `${operation}/requestBody`);
      keywords('a request body', body, ['required']);
      mediaTypes(body);
    }
  }
  return found;
}
