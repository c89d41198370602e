/** What the page says of schemas: their types in words, and example values that look real. */

const toJs = (schema) => schema?.toJS?.() ?? schema;

const nameOf = ({ $ref, $$ref = $ref }) =>
  /\/components\/schemas\/([^/]+)$/
    .exec($$ref ?? '')?.[1]
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');

const union = (types) => [...new Set(types)].join(' | ');
const listOf = (type) => (type.includes(' ') ? `(${type})[]` : `${type}[]`);

const typesIn = ({ type }) => (type === undefined ? [] : [type].flat());

/** The type of a schema inside of another: its name if it has one. */
const partOf = (schema) => nameOf(Object(schema)) ?? typeOf(schema);

/** The type of a schema, in the words of TypeScript. */
export function typeOf(schema) {
  if (schema === false) return 'never';
  if (typeof schema !== 'object' || schema === null) return 'any';
  const { items, prefixItems, properties, additionalProperties, format, nullable } = schema;
  const { oneOf, anyOf, allOf, enum: values } = schema;
  const list = () =>
    prefixItems ? `[${prefixItems.map(partOf).join(', ')}]` : listOf(items ? partOf(items) : 'any');
  const said = typesIn(schema).map((type) => (type === 'array' ? list() : type));
  if (nullable && said.length > 0) said.push('null');
  if (said.length > 0) return union(said);
  if (oneOf || anyOf) return union((oneOf ?? anyOf).map(partOf));
  if (items || prefixItems) return list();
  if (properties || additionalProperties) return 'object';
  if (allOf) {
    const parts = allOf.map(typeOf).filter((type) => type !== 'any');
    return parts.length > 0 ? [...new Set(parts)].join(' & ') : allOf.map(partOf).join(' & ');
  }
  const given = values ?? ('const' in schema ? [schema.const] : []);
  if (given.length > 0) return union(given.map((value) => (value === null ? 'null' : typeof value)));
  return format === undefined ? (nameOf(schema) ?? 'any') : /^u?int\d+$/.test(format) ? 'integer' : 'string';
}

/** Texts by the name of their property. Of two that fit, the first counts. */
const TEXTS = [
  [/e-?mail/, 'ada@example.com'],
  [/(url|uri|link|website|homepage|href)$/, 'https://example.com/'],
  [/phone|mobile/, '+49 30 901820'],
  [/first.?name|given.?name/, 'Ada'],
  [/last.?name|family.?name|surname/, 'Lovelace'],
  [/user.?name|login|nickname/, 'ada'],
  [/full.?name|author|artist|owner|painter|customer|assignee/, 'Ada Lovelace'],
  [/street|address/, '12 Garden Street'],
  [/city|town/, 'Berlin'],
  [/zip|post.?code|postal/, '10115'],
  [/country/, 'DE'],
  [/currency/, 'EUR'],
  [/lang|locale/, 'en'],
  [/time.?zone/, 'Europe/Berlin'],
  [/color|colour/, 'green'],
  [/password|secret/, 'correct horse battery staple'],
  [/isbn/, '9780141439518'],
  [/description|comment|note|summary|message|text|body|content|caption/, 'A short text'],
  [/title|headline|subject/, 'A title'],
];
const NUMBERS = [
  [/year/, 2024],
  [/price|amount|total|cost/, 25],
  [/age$/, 36],
  [/limit|per.?page|page.?size/, 20],
];
const named = (table, name) => table.find(([pattern]) => pattern.test(name.toLowerCase()))?.[1];
const words = (name) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase();

/** Members of a schema that say more about a value than the name of its property does. */
const TELLING = ['example', 'examples', 'default', 'enum', 'const', 'format', 'pattern', 'contentEncoding'];

const titled = (name) => `${name[0].toUpperCase()}${name.slice(1)} 1`;

/** @param owner what the name is that of: the name of a schema, such as NewPainting */
function textFor(name, { minLength = 0, maxLength = Infinity }, owner) {
  const subject = owner?.replace(
    /^(?:New|Create|Update|Add|Patch)|(?:Input|Request|Response|Body|Update)$/g,
    '',
  );
  const text = named(TEXTS, name) ?? titled(words((/^name$/i.test(name) && subject) || name));
  return text.length >= minLength && text.length <= maxLength ? text : undefined;
}

function numberFor(name, { minimum = -Infinity, maximum = Infinity, ...others }) {
  if ('multipleOf' in others || 'exclusiveMinimum' in others || 'exclusiveMaximum' in others)
    return undefined;
  return [named(NUMBERS, name), 1, minimum].find((value) => value >= minimum && value <= maximum);
}

/** An example value for a property or parameter of this name; undefined if the schema says more, or admits none of ours. */
function exampleFor(name, schema, owner) {
  const isTold = TELLING.some((member) => member in schema && !/^u?int\d+$/.test(schema[member]));
  if (isTold) return undefined;
  const types = typesIn(schema);
  if (types.includes('string')) return textFor(name, schema, owner);
  return types.some((type) => /integer|number/.test(type)) ? numberFor(name, schema) : undefined;
}

/** Texts of formats. Swagger UI has its own. */
const FORMATS = new Map([
  ['date', '2024-05-17'],
  ['date-time', '2024-05-17T09:30:00Z'],
  ['email', 'ada@example.com'],
  ['uuid', '3fa85f64-5717-4562-b3fc-2c963f66afa6'],
  ['uri', 'https://example.com/'],
]);

/** A value for a property or parameter, given its schema, or a parameter with members of its schema. */
export function exampleOf(name, schema = {}) {
  const { example, examples, default: usual, enum: values, format } = schema;
  const [first] = Array.isArray(examples)
    ? examples
    : Object.values(examples ?? {}).map(({ value }) => value);
  const told = example ?? first ?? usual ?? values?.[0] ?? FORMATS.get(format) ?? exampleFor(name, schema);
  if (told !== undefined) return told;
  if (typesIn(schema).includes('boolean')) return true;
  if (typesIn(schema).includes('array')) return [exampleOf(name.replace(/s$/, ''), schema.items)];
  return schema.minimum ?? words(name);
}

/** A copy of a schema in which values without an example have one by the name of their property. */
export function withExamples(given, name, owner, depth = 0) {
  const schema = toJs(given);
  if (typeof schema !== 'object' || schema === null || depth > 8) return schema;
  const copy = { ...schema };
  const example = name === undefined ? undefined : exampleFor(name, copy, owner);
  if (example !== undefined) copy.example = example;
  if (copy.properties)
    copy.properties = Object.fromEntries(
      Object.entries(copy.properties).map(([key, one]) => [
        key,
        withExamples(one, key, nameOf(schema) ?? owner, depth + 1),
      ]),
    );
  if (copy.items) copy.items = withExamples(copy.items, name?.replace(/s$/, ''), undefined, depth + 1);
  for (const keyword of ['allOf', 'oneOf', 'anyOf'])
    if (Array.isArray(copy[keyword]))
      copy[keyword] = copy[keyword].map((one) => withExamples(one, name, nameOf(schema) ?? owner, depth + 1));
  return copy;
}

/** A plugin of Swagger UI. */
export const schemasPlugin = {
  afterLoad() {
    const { getSampleSchema } = this.fn;
    /** A sample with a pattern is random, and made once for each object. */
    const known = new WeakMap();
    this.fn.getSampleSchema = (schema, ...others) => {
      const isObject = typeof schema === 'object' && schema !== null;
      const prepared = (isObject && known.get(schema)) || withExamples(schema);
      if (isObject) known.set(schema, prepared);
      return getSampleSchema(prepared, ...others);
    };
    this.fn.getSchemaObjectTypeLabel = (schema) => typeOf(toJs(schema));
  },
  wrapComponents: {
    // The fields of a form have samples of their own, which lack the name of the field.
    RequestBody:
      (Original, { React: { createElement } }) =>
      ({ requestBody, contentType, ...props }) => {
        const type = contentType || requestBody.get('content')?.keySeq().first();
        const place = ['content', type, 'schema', 'properties'];
        const isForm = /^multipart\/|x-www-form-urlencoded$/.test(type);
        let told = requestBody;
        for (const [name, schema] of (isForm && requestBody.getIn(place)?.entries()) || []) {
          const { example, items } = withExamples(schema, name);
          if (example !== undefined) told = told.setIn([...place, name, 'example'], example);
          if (items?.example !== undefined)
            told = told.setIn([...place, name, 'items', 'example'], items.example);
        }
        return createElement(Original, { ...props, contentType, requestBody: told });
      },
    JSONSchema202012KeywordType:
      (Original, { React: { createElement } }) =>
      ({ schema, isCircular }) =>
        createElement(
          'strong',
          { className: 'json-schema-2020-12__attribute json-schema-2020-12__attribute--primary' },
          isCircular ? `${typeOf(schema)} (recursive)` : typeOf(schema),
        ),
  },
};
