/** The requests of the contract tests that log a user in and register another one. */
import {
  isJson,
  isObject,
  jsonPath,
  joinPointer,
  type OpenApiDocument,
  samples,
  stringifyJson,
  viewSchemas,
} from 'contract-first-server/tools';
import { quoted } from '../../generate/handler-names';
import type { Asking, Field, Logins } from './logins';
import type { Action } from '../overlay';
import type { Sequence } from '../tests';

/** The body of a request with a name and a password. */
interface Example {
  readonly value: unknown;
  /** What the overlay adds, so that the tests send it. */
  readonly actions: readonly Action[];
}
interface Examples {
  readonly login: Example;
  readonly register?: Example;
}

export function userExamples(document: OpenApiDocument, { login, register }: Logins): Examples {
  const first = exampleOf(document, login);
  if (!register) return { login: first };
  const second = exampleOf(document, register);
  const name = valueAt(second.value, register.login);
  if (name !== valueAt(first.value, login.login)) return { login: first, register: second };
  const value = put(second.value, register.login.path, another(document, register.login, String(name)));
  return { login: first, register: exampleOf(document, register, value) };
}

export const valueAt = (value: unknown, { path }: Field): unknown =>
  path.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), value);

/** The value with another one at a path. */
export const put = (value: unknown, [step, ...rest]: readonly string[], leaf: unknown): unknown => {
  if (step === undefined) return leaf;
  const members = isObject(value) ? value : {};
  return { ...members, [step]: put(members[step], rest, leaf) };
};

/** Another text for a field: of the same form as far as its form is known. */
function another(document: OpenApiDocument, { schemas }: Field, text: string): string {
  const { patterns, formats } = viewSchemas(document, schemas, 'request');
  const other = [...samples(document, schemas[0] ?? '', 'request')].find(
    (one) => typeof one === 'string' && one !== text,
  );
  if (patterns.size > 0 && typeof other === 'string') return other;
  return formats.has('email') || text.includes('@') ? `another.${text}` : `${text}2`;
}

/** @param wanted the body; that of the document by default */
function exampleOf(document: OpenApiDocument, asking: Asking, wanted?: unknown): Example {
  const { pointer: holder, value: media } = document.follow(asking.media.replace(/\/schema$/, ''));
  const { example, examples } = media;
  const [named] = isObject(examples) ? Object.keys(examples) : [];
  const place = named === undefined ? '' : joinPointer(holder, 'examples', named);
  const both = [asking.login, asking.password];
  const given = [example, place === '' ? undefined : document.follow(place).value['value']].find((one) =>
    both.every((field) => typeof valueAt(one, field) === 'string'),
  );
  let value: unknown = wanted ?? given ?? [...samples(document, asking.media, 'request')].find(isObject);
  for (const field of both)
    if (typeof valueAt(value, field) !== 'string') value = put(value, field.path, 'text');
  if (value === given) return { value, actions: [] };
  // The overlay adds and removes. It cannot change what the document has.
  const old = example === undefined ? place : joinPointer(holder, 'example');
  const update = old === '' ? { example: value } : { examples: { another: { value } } };
  const removal: Action = {
    ...{ target: jsonPath(document, old), description: 'the tests use another one', remove: true },
  };
  return {
    value,
    actions: [
      ...(old === '' ? [] : [removal]),
      { target: jsonPath(document, holder), description: 'an example, which the tests use', update },
    ],
  };
}

/** Registers a user, logs it in, and is refused where it should be. */
export function userScenario({ login, register }: Logins, examples: Examples): Sequence[] {
  const step = ({ operation }: Asking, value: unknown, expect: string): string =>
    `{ operation: ${quoted(operation.operationId)}, body: ${quoted(stringifyJson(value))}, expect: ${quoted(expect)} }`;
  const asking = [login, ...(register ? [register] : [])];
  const contents = asking.flatMap(({ operation }) => operation.requestBody?.content ?? []);
  if (!contents.every(({ type }) => isJson(type.essence))) return [];
  const first = examples.register?.value;
  const name = register && valueAt(first, register.login);
  const secret = register && valueAt(first, register.password);
  const known =
    name === undefined
      ? examples.login.value
      : put(put(examples.login.value, login.login.path, name), login.password.path, secret);
  const wrong = put(known, login.password.path, `${String(valueAt(known, login.password))}x`);
  const steps = [
    ...(register ? [step(register, first, 'success'), step(register, first, 'nameTaken')] : []),
    step(login, known, 'success'),
    step(login, wrong, 'wrongPassword'),
  ];
  return [{ title: 'users: who has registered can log in, by the right password', steps, proves: [] }];
}
