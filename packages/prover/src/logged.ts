import { relative } from 'node:path';
import { jsonOf } from './wire/message';
import { NumberLiteral, type Value } from './json/value';
import type { Case } from './cases/case';
import { printable } from './failure';
import type { Target } from './target';

/** Errors behind an error, frames of each, and characters of a text: a report must stay readable. */
const [MAX_CAUSES, MAX_FRAMES, MAX_TEXT] = [4, 5, 500];

/** Texts that are shorter, and numbers below, stand in many places by chance. */
const MIN_LENGTH = 4;

/** Variables whose values are secrets, or contain one. */
const SECRET_VARIABLES = /SECRET|TOKEN|PASSWORD|PASSWD|KEY|USERS|CREDENTIAL|_URL$/i;

/**
 * What a service logs of a failure: the name and the message of the error and of its causes, the statement and the code of
 * a database, and the frames of the service. The values of the request, of credentials and of secret variables are left
 * out.
 */
export function loggedText(
  error: unknown,
  target: Target,
  sent: Pick<Case, 'operation' | 'request'>,
): string {
  const safe = (text: string, hidden: readonly string[] = []): string => {
    const values = [...new Set([...secretsOf(target), ...hidden])].filter(
      (value) => value.length >= MIN_LENGTH,
    );
    values.sort((a, b) => b.length - a.length);
    const without = values.reduce(
      (rest, value) => rest.replaceAll(value, '...'),
      text.slice(0, 4 * MAX_TEXT),
    );
    const plain = without.replace(/(\w:\/\/[^\s/:@]*):[^\s/@]*@/g, '$1:...@');
    return printable(
      plain.length > MAX_TEXT ? `${plain.slice(0, MAX_TEXT)}...` : plain,
      target.curl?.secrets,
    );
  };
  const values = valuesOf(sent);
  const lines: string[] = [];
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current !== undefined; depth++) {
    const { text, statement, code, frames, cause } = partsOf(current);
    lines.push(
      `${depth === 0 ? '' : 'caused by '}${safe(text, values)}`,
      ...(statement === undefined ? [] : [`  statement: ${safe(statement)}`]),
      ...(code === undefined ? [] : [`  code: ${safe(code)}`]),
      ...(depth === 0 ? frames.map((frame) => `  at ${safe(frame)}`) : []),
    );
    current = cause;
  }
  return lines.join('\n');
}

interface Parts {
  readonly text: string;
  readonly statement?: string | undefined;
  readonly code?: string | undefined;
  readonly frames: readonly string[];
  readonly cause?: unknown;
}

/** The members of an error; a getter of it may throw. */
function partsOf(error: unknown): Parts {
  if (!(error instanceof Error))
    return { text: `a ${typeof error} was thrown that is not an Error`, frames: [] };
  try {
    const { name, message, stack = '', cause } = error;
    const text = (member: string): string | undefined => {
      const value: unknown = Reflect.get(error, member);
      return typeof value === 'string' && value !== '' ? value : undefined;
    };
    const errors = error instanceof AggregateError ? (error.errors as unknown[]) : [];
    return {
      text: message === '' ? name : `${name}: ${message}`,
      statement: text('statement'),
      code: text('code'),
      frames: framesOf(stack),
      cause: cause ?? errors[0],
    };
  } catch {
    return { text: 'an error that cannot be read', frames: [] };
  }
}

/** The frames of the service, with paths from its folder. */
function framesOf(stack: string): string[] {
  const frames = stack.split('\n').flatMap((line) => /^\s{1,20}at (.*)$/.exec(line)?.[1] ?? []);
  const own = frames.filter((frame) => !/node:|node_modules|<anonymous>/.test(frame));
  return own
    .slice(0, MAX_FRAMES)
    .map((frame) =>
      frame.replace(/(?:file:\/\/)?(\/[^():]*)(?=:\d)/, (path) =>
        relative(process.cwd(), path.replace('file://', '')),
      ),
    );
}

function secretsOf({ credentials }: Target): string[] {
  const variables = Object.entries(process.env).flatMap(([name, value = '']) =>
    SECRET_VARIABLES.test(name) ? [value, ...value.split(',')] : [],
  );
  return [...variables, ...Object.values(credentials).flatMap(({ valid, invalid }) => [valid, invalid])];
}

/** The texts and numbers that a request has sent. */
function valuesOf({ operation, request }: Pick<Case, 'operation' | 'request'>): string[] {
  const body = jsonOf(request);
  const named = new Set([...operation.path.split('/'), ...operation.parameters.map(({ name }) => name)]);
  const parts = request.target.split(/[/?&=]/).filter((part) => !named.has(part));
  return [...parts.flatMap((part) => [part, decoded(part)]), ...(body === undefined ? [] : leaves(body))];
}

const leaves = (value: Value): string[] => {
  if (typeof value === 'string') return [value];
  if (value instanceof NumberLiteral) return [value.text];
  if (value instanceof Map) return [...value.values()].flatMap(leaves);
  return Array.isArray(value) ? value.flatMap(leaves) : [];
};

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
