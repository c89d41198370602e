import { isAbsolute } from 'node:path';
import type { Json } from '../json/tree';
import type { Token } from '../request/tokens';
import type { RawRequest } from './message';

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
 * @param tokens those of its sources, which the commands fetch
 */
export function secretsOf(credentials: Json, path: string, tokens: readonly Token[] = []): Secret[] {
  const file = isAbsolute(path) ? path : `./${path.replace(/^\.\//, '')}`;
  const memberAt = (steps: readonly (string | number)[]) =>
    `require(${JSON.stringify(file)})${steps.map((step) => `[${JSON.stringify(step)}]`).join('')}`;
  const given = texts(credentials, []).map(({ steps, value }) => ({
    name: steps.join('.'),
    value,
    member: memberAt(steps),
  }));
  const fetched = tokens.map(({ scheme, first }) => ({
    name: scheme,
    value: first,
    member: `(${FETCH})(${memberAt([scheme])})`,
  }));
  const secrets = [...given, ...fetched].flatMap(({ name, value, member }) =>
    ENCODINGS.map(([encode, expression]): Secret => {
      const script = expression(member).replaceAll("'", `'\\''`);
      return { name, value: encode(value), expression: `node -p '${script}'` };
    }),
  );
  const distinct = new Map(secrets.toReversed().map((secret) => [secret.value, secret]));
  return [...distinct.values()].sort((a, b) => b.value.length - a.value.length);
}

/** A function of JavaScript that gets a token of a source. What curl sends stays out of its arguments, which other users see. */
const FETCH = [
  '({command:c,clientCredentials:o})=>{const run=(c,input)=>require("child_process").execSync(c,{input,encoding:"utf8"}).trim();if(c)return run(c);',
  'const{tokenUrl,clientId,clientSecret,...more}=o,user=[clientId,clientSecret].map(encodeURIComponent).join(":");',
  'const data=new URLSearchParams({grant_type:"client_credentials",...more})+"";',
  'return JSON.parse(run("curl -sK -",Object.entries({url:tokenUrl,user,data}).map(([k,v])=>k+"="+JSON.stringify(v)).join("\\n"))).access_token}',
].join('');

/** Members that say where and what for, and are no secrets. */
const PUBLIC = ['tokenUrl', 'clientId', 'scope', 'command'];

function texts(json: Json, steps: readonly (string | number)[]): { steps: typeof steps; value: string }[] {
  if (PUBLIC.includes(String(steps.at(-1)))) return [];
  if (typeof json === 'string') return json.length < MIN_LENGTH ? [] : [{ steps, value: json }];
  if (json === null || typeof json !== 'object') return [];
  const members: [string | number, Json][] = Array.isArray(json) ? [...json.entries()] : Object.entries(json);
  return members.flatMap(([step, member]) => texts(member, [...steps, step]));
}

/** A function that puts the current tokens in the place of those that a request was made with. The secrets get them too. */
export const renewing =
  (tokens: readonly Token[], secrets: Secret[]) =>
  async (request: RawRequest): Promise<RawRequest> => {
    let { target, headers } = request;
    for (const { first, current } of tokens) {
      const now = await current();
      if (now === first) continue;
      for (const [encode] of ENCODINGS) {
        const [from, to] = [encode(first), encode(now)];
        const known = secrets.find(({ value }) => value === from);
        if (known && !secrets.some(({ value }) => value === to)) secrets.push({ ...known, value: to });
        target = target.replaceAll(from, () => to);
        headers = headers.map(([name, value]) => [name, value.replaceAll(from, () => to)]);
      }
    }
    return { ...request, target, headers };
  };

/** The text with the names of secrets in the place of their values. */
export const redact = (text: string, secrets: readonly Secret[] = []): string =>
  secrets.reduce((redacted, { name, value }) => redacted.replaceAll(value, `<${name}>`), text);
