/** The requests of the contract tests that log a user in and register another one. */
import {
  isObject,
  jsonPath,
  joinPointer,
  type JsonObject,
  members,
  type OpenApiDocument,
  samples,
  viewSchemas,
} from '../../src/contract';
import type { Asking, Field, Logins } from './logins';
import type { Action } from './overlay';

/** The values of a request with a name and a password. */
export interface Example {
  /** A body; or parameters, by name. */
  readonly value: JsonObject;
  /** What the overlay adds, so that the tests send it. */
  readonly actions: readonly Action[];
}

const WHY = 'an example, which the tests use';

export function userExamples(
  document: OpenApiDocument,
  { login, register }: Logins,
): { readonly login: Example; readonly register: Example | undefined } {
  const first = exampleOf(document, login);
  if (!register) return { login: first, register: undefined };
  const second = exampleOf(document, register);
  const name = valueAt(second.value, register.login);
  if (name !== valueAt(first.value, login.login)) return { login: first, register: second };
  const value = put(second.value, register.login.path, another(document, register.login, String(name)));
  return { login: first, register: exampleOf(document, register, value) };
}

export const valueAt = (value: unknown, { path }: Field): unknown =>
  path.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), value);

/** The value with another one at a path. */
export function put(value: JsonObject, [step = '', ...rest]: readonly string[], leaf: unknown): JsonObject {
  const below = value[step];
  return { ...value, [step]: rest.length === 0 ? leaf : put(isObject(below) ? below : {}, rest, leaf) };
}

/** Another text for a field: of the same form as far as its form is known. */
export function another(document: OpenApiDocument, { schemas }: Field, text: string): string {
  const { patterns, formats } = viewSchemas(document, schemas, 'request');
  const other = [...samples(document, schemas[0] ?? '', 'request')].find(
    (one) => typeof one === 'string' && one !== text,
  );
  if (patterns.size > 0 && typeof other === 'string') return other;
  return formats.has('email') || text.includes('@') ? `another.${text}` : `${text}2`;
}

/** @param wanted the value; that of the document by default */
function exampleOf(document: OpenApiDocument, asking: Asking, wanted?: JsonObject): Example {
  return asking.part === 'body'
    ? bodyExample(document, asking, wanted)
    : parameterExample(document, asking, wanted);
}

function bodyExample(document: OpenApiDocument, asking: Asking, wanted: JsonObject | undefined): Example {
  const pointer = asking.media.replace(/\/schema$/, '');
  const { example, examples } = document.follow(pointer).value;
  const [named] = isObject(examples)
    ? members(examples).map(([name]) => ({
        name,
        value: document.follow(joinPointer(pointer, 'examples', name)).value['value'],
      }))
    : [];
  const given = [example, named?.value].find(
    (one) =>
      isObject(one) &&
      typeof valueAt(one, asking.login) === 'string' &&
      typeof valueAt(one, asking.password) === 'string',
  );
  const made = [...samples(document, asking.media, 'request')].find((one) => isObject(one));
  let value = wanted ?? (isObject(given) ? given : isObject(made) ? made : {});
  for (const field of [asking.login, asking.password])
    if (typeof valueAt(value, field) !== 'string') value = put(value, field.path, 'text');
  if (value === given) return { value, actions: [] };
  // The overlay adds and removes. It cannot change what the document has.
  const holder = document.follow(pointer).pointer;
  const old =
    example !== undefined
      ? joinPointer(holder, 'example')
      : named && joinPointer(holder, 'examples', named.name);
  return {
    value,
    actions: [
      ...(old === undefined
        ? []
        : [
            {
              target: jsonPath(document, old),
              description: 'the tests use another one',
              remove: true as const,
            },
          ]),
      {
        target: jsonPath(document, holder),
        description: WHY,
        update: old === undefined ? { example: value } : { examples: { another: { value } } },
      },
    ],
  };
}

/** A login without a name is none: the overlay demands both. */
function parameterExample(
  document: OpenApiDocument,
  { fields, login, password }: Asking,
  wanted: JsonObject = {},
): Example {
  const actions: Action[] = [];
  const entries = fields.map((field): [string, unknown] => {
    const {
      path: [name = ''],
      schemas: [schema = ''],
      required,
    } = field;
    const { pointer, value: parameter } = document.follow(schema.replace(/(\/content\/[^/]+)?\/schema$/, ''));
    const { example, examples } = parameter;
    const [made] = samples(document, schema, 'request');
    const value = wanted[name] ?? example ?? made;
    const update = {
      ...(!required && (field === login || field === password) && { required: true }),
      ...(examples === undefined && value !== example && { example: value }),
    };
    if (Object.keys(update).length > 0)
      actions.push({ target: jsonPath(document, pointer), description: WHY, update });
    return [name, value];
  });
  return { value: Object.fromEntries(entries), actions };
}
