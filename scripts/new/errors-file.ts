/** Writes src/errors.ts of a service. */
import { STATUS_CODES } from 'node:http';
import {
  type OpenApiDocument,
  refusalOf,
  type ServedOperation,
  UndocumentedResponse,
} from '../../src/contract';
import { ERRORS } from '../../src/runtime';
import { codeOf, type Part, quoted, valueOf } from './error-body';
import { camelOf } from './names';
import { errorBodyOfResponse, type ErrorBody, type ErrorResponse } from './survey';

/** A kind of error that the handlers of a service have. */
export interface OwnKind {
  readonly kind: string;
  readonly status: number;
  readonly number: number;
}

/** The statuses of the server, and those that no handler answers. */
const NOT_OWN = new Set(
  [...Object.values(ERRORS).map(({ status }) => status)].filter((status) => status !== 404),
);

/** A kind for each documented error status that the server does not answer by itself. */
export function ownKinds(responses: readonly ErrorResponse[]): OwnKind[] {
  const statuses = new Set(responses.map(({ key }) => key).filter((key) => /^\d{3}$/.test(key)));
  return [...statuses]
    .map(Number)
    .filter((status) => !NOT_OWN.has(status))
    .sort((a, b) => a - b)
    .map((status) => ({ kind: kindOf(status), status, number: status * 100 + 1 }));
}

const kindOf = (status: number): string =>
  status === 404 ? 'noSuchResource' : camelOf(STATUS_CODES[status] ?? '', `status${status}`);

/** The body of an operation's errors with one status, where it is not the usual one. */
export interface OtherBody {
  readonly operationId: string;
  readonly status: number;
  readonly mediaType: string | undefined;
  /** Undefined: a response without a body. */
  readonly part: Part | undefined;
}

/** Finds the operations whose documented errors differ from the usual body. */
export function otherBodies(
  document: OpenApiDocument,
  served: Iterable<ServedOperation>,
  responses: readonly ErrorResponse[],
  usual: ErrorBody,
): OtherBody[] {
  const others = new Map<string, OtherBody>();
  for (const one of served) {
    const { operationId } = one.operation;
    for (const [kind, { status, number }] of Object.entries(ERRORS)) {
      const key = `${operationId} ${status}`;
      if (others.has(key) || !one.responses.documents(status)) continue;
      const facts = { message: 'a sentence', kind, status, number };
      const fits = (mediaType: string | undefined, part: Part | undefined) =>
        conforms(one, status, mediaType, part && valueOf(part, facts));
      if (fits(usual.mediaType, usual.part)) continue;
      const response = [String(status), `${Math.floor(status / 100)}XX`, 'default']
        .map((name) =>
          responses.find(({ operation, key: own }) => operation === one.operation && own === name),
        )
        .find((found) => found !== undefined);
      const own = response && errorBodyOfResponse(document, response);
      if (own && fits(own.mediaType, own.part)) {
        others.set(key, { operationId, status, mediaType: own.mediaType, part: own.part });
        continue;
      }
      const sample = refusalOf(document, one, status, { message: 'a sentence', headers: HEADERS });
      if (!sample) continue;
      const part = sample.body === undefined ? undefined : constantOf(sample.body);
      others.set(key, { operationId, status, mediaType: sample.contentType ?? undefined, part });
    }
  }
  return [...others.values()];
}

const HEADERS = { 'WWW-Authenticate': 'Bearer', 'Retry-After': '1' };

/** A sample as a part: the sentence in it becomes the message. */
function constantOf(body: unknown): Part {
  if (body === 'a sentence') return { fact: 'message' };
  const isOpaque = Array.isArray(body) || body instanceof Uint8Array;
  if (typeof body !== 'object' || body === null || isOpaque) return { constant: body };
  return { members: Object.entries(body).map(([name, value]) => [name, constantOf(value)] as const) };
}

function conforms(
  { responses }: ServedOperation,
  status: number,
  contentType: string | undefined,
  body: unknown,
): boolean {
  try {
    responses.write({ status, contentType, body }, HEADERS);
    return true;
  } catch (error) {
    if (error instanceof UndocumentedResponse) return false;
    throw error;
  }
}

/** @param type the TypeScript type of the usual body */
export function errorsFile(
  usual: ErrorBody,
  type: string,
  kinds: readonly OwnKind[],
  others: readonly OtherBody[],
): string {
  const own = kinds.length === 0 ? 'never' : kinds.map(({ kind }) => quoted(kind)).join(' | ');
  const rows = kinds.map(
    ({ kind, status, number }) => `  ${kind}: { status: ${status}, number: ${number} },\n`,
  );
  const body = codeOf(usual.part);
  const groups = new Map<string, OtherBody[]>();
  for (const other of others) {
    const code = other.part
      ? `{ contentType: ${quoted(other.mediaType ?? 'application/json')}, body: ${codeOf(other.part)} }`
      : '{}';
    groups.set(code, [...(groups.get(code) ?? []), other]);
  }
  const bodies = [...groups].flatMap(([code, users]) =>
    users.map(({ operationId, status }) => {
      const parameters = /\bmessage\b/.test(code) ? 'kind, message' : /\bkind\b/.test(code) ? 'kind' : '';
      return `  ${quoted(`${operationId} ${status}`)}: (${parameters}) => (${code}),\n`;
    }),
  );
  const all = [body, ...groups.keys()].join(' ');
  const generated = /(components|operations)\[/.exec(type)?.[1];
  const render =
    others.length === 0
      ? `({ kind, message }) => ({ status: ERRORS[kind].status, contentType: MEDIA_TYPE, body: errorBody(kind, message) })`
      : `({ kind, message }, operation) => {
    const { status } = ERRORS[kind];
    const other = OTHERS[\`\${operation?.operationId} \${status}\`];
    return { status, ...(other?.(kind, message) ?? { contentType: MEDIA_TYPE, body: errorBody(kind, message) }) };
  }`;
  return `${all.includes('STATUS_CODES') ? "import { STATUS_CODES } from 'node:http';\n" : ''}${
    others.length > 0 ? "import type { Answer } from 'contract-first-server';\n" : ''
  }import {
  ERRORS as COMMON, type Errors, type ErrorTable, type KindOf, toProblemIn } from 'contract-first-server/runtime';
${generated === undefined ? '' : `import type { ${generated} } from '../generated/openapi';\n`}
/** The error body of the document. */
export type ErrorBody = ${type};

const MEDIA_TYPE = ${quoted(usual.mediaType)};

/** The kinds of errors that this service adds to those of every service. */
export type OwnKind = ${own};

export type Kind = KindOf<OwnKind>;

/**
 * Every kind of error: its status, and a number for the log. A number never changes its meaning: the status times 100, plus
 * two digits.
 */
export const ERRORS: ErrorTable<OwnKind> = {
  ...COMMON,
${rows.join('')}};

export const errorBody = (kind: Kind, message: string): ErrorBody => (${body});
${
  others.length === 0
    ? ''
    : `
/** The bodies of operations that document another one for a status, by operationId and status. */
const OTHERS: Readonly<Record<string, (kind: Kind, message: string) => Omit<Answer, 'status'>>> = {
${bodies.join('')}};
`
}
export const errors: Errors<OwnKind> = {
  table: ERRORS,
  toProblem: toProblemIn(ERRORS),
  render: ${render},
  numberOf: ${numberOf(usual.part)},
};
`;
}

/** The code that reads the error number of a body, for the log. */
function numberOf(part: Part): string {
  const member =
    'members' in part
      ? part.members.find(([, value]) => 'fact' in value && value.fact.startsWith('number'))
      : undefined;
  if (!member) return '() => undefined';
  const name = quoted(member[0]);
  return `(body) => {
    const number = typeof body === 'object' && body !== null ? Reflect.get(body, ${name}) as unknown : undefined;
    return typeof number === 'number' || typeof number === 'bigint' ? Number(number) : undefined;
  }`;
}

/** The members of a JSON body that tell a kind of refusal from another, as code; empty if there are none. */
export function distinguishing(part: Part): string {
  if (!('members' in part)) return '';
  const plain = {
    kind: 'kind',
    status: 'status',
    status64: 'status',
    number: 'number',
    number64: 'number',
  } as const;
  const members = part.members.flatMap(([name, value]): [string, Part][] => {
    const fact = 'fact' in value && value.fact in plain ? plain[value.fact as keyof typeof plain] : undefined;
    return fact === undefined ? [] : [[name, { fact }]];
  });
  return members.length === 0 ? '' : codeOf({ members });
}
