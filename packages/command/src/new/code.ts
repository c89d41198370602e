/** Writes values, and the files of handlers, as TypeScript. */
import { isObject } from 'contract-first-server/tools';
import { type Operation } from 'contract-first-server';
import { handlerName, quoted } from '../generate/handler-names';

/** Stands in a value for what only the running service knows. */
export class Expression {
  /** @param isOptional whether it may be undefined: its property is left out then */
  constructor(
    readonly code: string,
    readonly isOptional = false,
  ) {}
}

/** A value of a document, perhaps with expressions in it, as a TypeScript expression. */
export function codeOf(value: unknown): string {
  if (value instanceof Expression) return value.code;
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return `[${value.map(codeOf).join(', ')}]`;
  if (value instanceof Uint8Array)
    return `Buffer.from(${quoted(Buffer.from(value).toString('base64'))}, 'base64')`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => {
    const code = codeOf(member);
    if (!(member instanceof Expression)) return `${propertyName(name)}: ${code}`;
    if (member.isOptional) return `...(${code} !== undefined && { ${propertyName(name)}: ${code} })`;
    return memberCode(name, code);
  });
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** A property with its value, or the variable alone where they have the same name. */
export const memberCode = (name: string, code: string): string =>
  code === name ? name : `${propertyName(name)}: ${code}`;

/** `__proto__: value` in an object literal sets its prototype. */
export const propertyName = (name: string): string =>
  name === '__proto__' ? `['${name}']` : /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);

/** Thrown where the document does not tell what a handler does. */
export class Unclear extends Error {}

/** What the code of a handler may use: its name, the code that uses it and its import, in the order of a linter. */
const IMPORTS = [
  ['randomInt', 'randomInt(', "import { randomInt } from 'node:crypto'"],
  ['randomUUID', 'randomUUID(', "import { randomUUID } from 'node:crypto'"],
  ['Problem', 'new Problem', "import { Problem } from 'contract-first-server'"],
  ['idempotent', 'idempotent(', "import { idempotent } from 'contract-first-server/runtime'"],
  ['errorBody', 'errorBody(', "import { errorBody } from '../errors'"],
  ['OwnKind', 'Problem<OwnKind>', "import type { OwnKind } from '../errors'"],
] as const;
/** What the code of a handler takes from the service. */
const SHARED = ['store', 'tokens', 'passwords'];
/** The names that no variable of a handler may hide. */
export const HANDLER_NAMES: readonly string[] = [...IMPORTS.map(([name]) => name), ...SHARED];

export const handlerPath = ({ operationId }: Operation): string =>
  `src/handlers/${handlerName(operationId).file}.ts`;

/** @param code the handler, from its parameters on */
export function handlerFile({ operationId, method, paths: [path = ''] }: Operation, code: string): string {
  const imports = IMPORTS.flatMap(([, use, line]) => (code.includes(use) ? `${line};\n` : []));
  const shared = SHARED.filter((name) => new RegExp(`(?<![.\\w])${name}\\.`).test(code));
  return `${imports.join('')}import type { CreateHandler } from './types';

/** ${method} ${path.replaceAll('*/', '* /')} */
export const ${handlerName(operationId).identifier}: CreateHandler<${quoted(operationId)}> =
  ({ ${shared.join(', ')} }) =>
  ${code};
`;
}
