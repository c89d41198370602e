/** The requests of the contract tests that log a user in and register another one. */
import {
  isObject,
  joinPointer,
  type JsonObject,
  members,
  type OpenApiDocument,
  samples,
  viewSchemas,
} from '../../src/contract';
import type { Asking, Field, Logins } from './logins';
import { type Action, jsonPath } from './overlay';

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
    ? members(examples).map(([name]) => document.follow(joinPointer(pointer, 'examples', name)))
    : [];
  const given = [example, named?.value['value']].find(
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
  const target =
    named && example === undefined
      ? jsonPath(document, named.pointer)
      : jsonPath(document, document.follow(pointer).pointer);
  const update = named && example === undefined ? { value } : { example: value };
  return { value, actions: [{ target, description: WHY, update }] };
}

function parameterExample(
  document: OpenApiDocument,
  { operation, part, fields }: Asking,
  wanted: JsonObject = {},
): Example {
  const actions: Action[] = [];
  const entries = fields
    .filter(({ required, path: [name = ''] }) => required || /./.test(name))
    .map(({ path: [name = ''], schemas: [schema = ''] }): [string, unknown] => {
      const pointer = schema.replace(/(\/content\/[^/]+)?\/schema$/, '');
      const { example, examples } = document.follow(pointer).value;
      const [made] = samples(document, schema, 'request');
      const value = wanted[name] ?? example ?? made;
      if (examples === undefined && value !== example)
        actions.push({
          target: jsonPath(document, document.follow(pointer).pointer),
          description: WHY,
          update: { example: value },
        });
      return [name, value];
    });
  return {
    value: Object.fromEntries(entries),
    actions: part === 'query' && operation.parameters.length > 0 ? actions : [],
  };
}
