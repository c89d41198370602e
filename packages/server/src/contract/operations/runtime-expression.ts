/** The URLs of callbacks (OpenAPI 3.1 sections 4.8.18.1 and 4.8.20.4). */
import { branded } from '../brand';
import { isFieldName } from '../http/header-field';
import { stringifyJson } from '../json/stringify';

/** What a message has, as handlers receive and return it: by location and name. */
export interface MessageValues {
  readonly header?: object | undefined;
  readonly headers?: object | undefined;
  readonly query?: unknown;
  readonly path?: object | undefined;
  readonly body?: unknown;
}

/** The exchange that a callback belongs to. */
export interface CallbackContext {
  /** The request, as its handler received it. */
  readonly request?: MessageValues | undefined;
  /** The response, as its handler returns it. */
  readonly response?: (MessageValues & { readonly status?: number }) | undefined;
  /** The URL and the method of the request, for `$url` and `$method`. */
  readonly url?: string | undefined;
  readonly method?: string | undefined;
}

interface Expression {
  readonly text: string;
  readonly evaluate: (context: CallbackContext) => unknown;
}

/** Literal texts and expressions. */
export type Template = readonly (string | Expression)[];

/** An expression has no value in this exchange. */
export class NoCallbackUrl extends Error {
  override name = 'NoCallbackUrl';
}
branded(NoCallbackUrl, 'NoCallbackUrl');

/** Parses the key of a callback: a runtime expression, or a text with some in braces. Undefined: it is neither. */
export function parseExpression(key: string): Template | undefined {
  const whole = key.startsWith('$') ? expressionOf(key) : undefined;
  if (whole) return [whole];
  // A pointer may have braces itself: an expression ends before what is a literal, the next one, or the end.
  const parts = key
    .split(/(\{\$(?:[^{}]|\{[^{}]*\})*\})/)
    .map((part) => (part.startsWith('{$') ? expressionOf(part.slice(1, -1)) : part));
  const isRead = (part: string | Expression | undefined) =>
    part !== undefined && (typeof part !== 'string' || !/[{}]/.test(part));
  if (key.startsWith('$') || !parts.every(isRead)) return undefined;
  return parts.flatMap((part) => (part === undefined || part === '' ? [] : part));
}

/**
 * The URL of a callback. A value at its beginning stands as it is; any later one is percent-encoded, so that it does not
 * change what is before it.
 *
 * @throws {NoCallbackUrl}
 */
export const evaluateTemplate = (template: Template, context: CallbackContext): string =>
  template.reduce<string>((before, part) => {
    if (typeof part === 'string') return before + part;
    const text = textOf(part, context);
    if (before === '') return text;
    if (!before.includes('?') && /^\.\.?$/.test(text))
      throw new NoCallbackUrl(`${part.text}: a segment of dots would change the path before it`);
    return before + encodeURIComponent(text);
  }, '');

function textOf({ text, evaluate }: Expression, context: CallbackContext): string {
  const value = evaluate(context);
  if (typeof value === 'string' && value !== '' && value.isWellFormed()) return value;
  if (['number', 'bigint', 'boolean'].includes(typeof value)) return stringifyJson(value);
  const got = value === undefined || value === '' ? 'none' : 'another value';
  throw new NoCallbackUrl(`${text}: expected a string or a number for the URL of the callback, got ${got}`);
}

/** The grammar of OpenAPI 3.1 section 4.8.20.4. */
function expressionOf(text: string): Expression | undefined {
  const evaluate = evaluatorOf(text);
  return evaluate && { text, evaluate };
}

function evaluatorOf(text: string): Expression['evaluate'] | undefined {
  if (text === '$url') return ({ url }) => url;
  if (text === '$method') return ({ method }) => method;
  if (text === '$statusCode') return ({ response }) => response?.status;
  const [, message, source = ''] = /^\$(request|response)\.(.+)$/s.exec(text) ?? [];
  if (message !== 'request' && message !== 'response') return undefined;
  const [, location, name] = /^(header|query|path)\.(.+)$/s.exec(source) ?? [];
  if (location === 'header') {
    if (name === undefined || !isFieldName(name)) return undefined;
    return ({ [message]: of }) => fieldOf(of?.header ?? of?.headers, name);
  }
  if (location === 'query' && name !== undefined) return ({ [message]: of }) => step(of?.query, name);
  if (location === 'path' && name !== undefined) return ({ [message]: of }) => step(of?.path, name);
  const [isBody, pointer = ''] = /^body(?:#((?:\/(?:[^/~]|~[01])*)*))?$/s.exec(source) ?? [];
  if (isBody === undefined) return undefined;
  const steps = pointer
    .split('/')
    .slice(1)
    .map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'));
  return ({ [message]: of }) => steps.reduce(step, of?.body);
}

const step = (value: unknown, name: string): unknown =>
  typeof value === 'object' &&
  value !== null &&
  Object.hasOwn(value, name) &&
  !(Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(name))
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

/** Names of header fields are case-insensitive (RFC 9110 section 5.1). */
const fieldOf = (fields: object | undefined, name: string): unknown =>
  Object.entries(fields ?? {}).find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1];
