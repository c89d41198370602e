import { isAbsolute } from 'node:path';
import type { Json } from '../json/tree';

/** A credential of the user. It must not reach a report: reports are uploaded, attached and mailed. */
export interface Secret {
  /** Its place in the file of credentials: `bearer.valid`. */
  readonly name: string;
  readonly value: string;
  /** A shell command that prints the value. */
  readonly expression: string;
}

/** A shorter text is no secret, and would occur in other words. */
const MIN_LENGTH = 4;

/** The forms in which a request carries a credential, each as an expression of JavaScript. */
const ENCODINGS: readonly [encode: (value: string) => string, expression: (value: string) => string][] = [
  [(value) => value, (value) => value],
  [(value) => Buffer.from(value).toString('base64'), (value) => `Buffer.from(${value}).toString("base64")`],
  [encodeURIComponent, (value) => `encodeURIComponent(${value})`],
];

/**
 * The secrets of a JSON file of credentials, longest first. Their shell commands read the file again.
 *
 * @param path the path of the file, from the folder where the commands run
 */
export function secretsOf(credentials: Json, path: string): Secret[] {
  const file = isAbsolute(path) ? path : `./${path.replace(/^\.\//, '')}`;
  const secrets = texts(credentials, []).flatMap(({ tokens, value }) =>
    ENCODINGS.map(([encode, expression]): Secret => {
      const member = `require(${JSON.stringify(file)})${tokens.map((token) => `[${JSON.stringify(token)}]`).join('')}`;
      const script = expression(member).replaceAll("'", `'\\''`);
      return { name: tokens.join('.'), value: encode(value), expression: `node -p '${script}'` };
    }),
  );
  const distinct = new Map(secrets.toReversed().map((secret) => [secret.value, secret]));
  return [...distinct.values()].sort((a, b) => b.value.length - a.value.length);
}

function texts(json: Json, tokens: readonly (string | number)[]): { tokens: typeof tokens; value: string }[] {
  if (typeof json === 'string') return json.length < MIN_LENGTH ? [] : [{ tokens, value: json }];
  if (json === null || typeof json !== 'object') return [];
  const members: [string | number, Json][] = Array.isArray(json) ? [...json.entries()] : Object.entries(json);
  return members.flatMap(([token, member]) => texts(member, [...tokens, token]));
}

/** The text with the names of secrets in the place of their values. */
export const redact = (text: string, secrets: readonly Secret[] = []): string =>
  secrets.reduce((redacted, { name, value }) => redacted.replaceAll(value, `<${name}>`), text);
