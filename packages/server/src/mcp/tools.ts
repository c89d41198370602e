/** The operations that are tools, and why others are none. */
import { isObject, joinPointer, type OpenApiDocument, type Operation, schemeAt } from '../contract/tools';
import { InvalidContract, type JsonObject } from '../contract';
import type { McpOptions } from './access';
import { answersOf, outputSchemaOf } from './answers';
import { isWritable, PLACES, writableBody } from './arguments';
import { objectOf, type ObjectSchema, ToolSchemas } from './schemas';

const SAFE = ['GET', 'HEAD', 'OPTIONS', 'QUERY', 'TRACE'];
/** Clients put a prefix before a name, and accept 64 characters in all. */
const MAX_NAME = 60;
const MAX_TITLE = 100;
const MAX_DESCRIPTION = 1_000;

/** An operation as a tool. */
export class Tool {
  readonly body;
  readonly answers;
  readonly isSafe;

  constructor(
    private readonly document: OpenApiDocument,
    readonly operation: Operation,
    readonly words: { readonly name: string; readonly title: string; readonly description: string },
  ) {
    this.body = writableBody(operation);
    this.answers = answersOf(document, operation);
    this.isSafe = SAFE.includes(operation.method);
  }

  /** As clients get it. */
  get listed() {
    const { document, operation, words, body, answers, isSafe } = this;
    return {
      ...words,
      annotations: {
        readOnlyHint: isSafe,
        destructiveHint: !isSafe && operation.method !== 'POST',
        idempotentHint: isSafe || ['PUT', 'DELETE'].includes(operation.method),
      },
      inputSchema: inputSchemaOf(document, operation, body),
      outputSchema: outputSchemaOf(document, answers),
    };
  }
}

/**
 * Finds the tools of a document.
 *
 * @returns `leftOut` has a sentence for each operation, or part of one, that is no tool
 * @throws {InvalidContract} if two operations have one name by `x-mcp`
 */
export function offerOf(
  document: OpenApiDocument,
  operations: readonly Operation[],
  mode: McpOptions['mode'],
) {
  const leftOut: string[] = [];
  const offered = operations.flatMap((operation) => {
    const mark = document.follow(operation.pointer).value['x-mcp'];
    const isOffered = SAFE.includes(operation.method) || (mode === 'all' && mark !== undefined);
    if (mark === false || !isOffered) return [];
    const lacking = lackingParts(document, operation);
    const isTool = lacking.every(({ isNeeded }) => !isNeeded);
    for (const { part } of lacking)
      leftOut.push(`${titleOf(operation)} is ${isTool ? 'a tool without' : 'no tool, for'} ${part}`);
    return isTool ? [{ operation, words: isObject(mark) ? mark : {} }] : [];
  });
  const taken = new Set<string>();
  for (const { operation, words } of offered) {
    if (typeof words['name'] !== 'string') continue;
    const pointer = joinPointer(operation.pointer, 'x-mcp', 'name');
    const message = 'is the name of another tool, too';
    if (taken.has(words['name'])) throw new InvalidContract([{ pointer, message }]);
    taken.add(words['name']);
  }
  const tools = offered.map(({ operation, words }) => {
    const name = typeof words['name'] === 'string' ? words['name'] : freeName(taken, operation.operationId);
    return new Tool(document, operation, { name, ...wordsOf(document, operation, words) });
  });
  return { tools, leftOut };
}

const titleOf = ({ method, paths: [path = ''] }: Operation): string => `${method} ${path}`;

const UNWRITABLE = 'which is a whole query, or in a format of this service';

/** The parts that no arguments can write. Without one that is needed, there is no request. */
function lackingParts(document: OpenApiDocument, operation: Operation) {
  const { parameters, requestBody, security } = operation;
  const lacking = parameters
    .filter((one) => !isWritable(one))
    .map(({ in: place, name, required: isNeeded }) => ({
      part: `${place}/${name}, ${UNWRITABLE}`,
      isNeeded,
    }));
  if (requestBody && !writableBody(operation)) {
    const part = `its body: only JSON, a form and plain text can be an argument`;
    lacking.push({ part, isNeeded: requestBody.required });
  }
  const isInQuery = (scheme: string) => schemeAt(document, scheme).value['in'] === 'query';
  if (security.length > 0 && security.every((all) => all.some(({ scheme }) => isInQuery(scheme))))
    lacking.push({ part: 'an API key in the query: tools have header fields and cookies', isNeeded: true });
  return lacking;
}

/** The title and the description. A model has to know what are the words of the document. */
function wordsOf(document: OpenApiDocument, operation: Operation, words: JsonObject) {
  const { summary, description, deprecated } = document.follow(operation.pointer).value;
  const says = words['description'] ?? description ?? summary;
  const quoted =
    says === undefined ? '' : ` Its document says: ${JSON.stringify(cut(says, MAX_DESCRIPTION))}`;
  const fate = deprecated === true ? ' It is deprecated.' : '';
  return {
    title: cut(words['title'] ?? summary ?? operation.operationId, MAX_TITLE),
    description: `${titleOf(operation)} of ${cut(document.at('/info/title'), MAX_TITLE)}.${fate}${quoted}`,
  };
}

const cut = (text: unknown, most: number): string => String(text).trim().slice(0, most).toWellFormed();

/** A name that is not taken, of the characters that every client accepts. */
function freeName(taken: Set<string>, operationId: string): string {
  const plain = operationId.replace(/[^\w-]+/g, '_').replace(/^_+|_+$/g, '') || 'operation';
  for (let i = 1; ; i++) {
    const end = i === 1 ? '' : `_${i}`;
    const name = plain.slice(0, MAX_NAME - end.length) + end;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

/** An object with a member for each place of arguments. Its own keywords are those that every client knows. */
function inputSchemaOf(document: OpenApiDocument, operation: Operation, body: Tool['body']): ObjectSchema {
  const schemas = new ToolSchemas(document, 'request');
  const written = operation.parameters.filter(isWritable).map((parameter) => {
    const { description = '' } = document.follow(parameter.pointer).value;
    const schema = schemas.of(parameter.schemaPointer);
    const described =
      description === '' ? schema : { ...schema, description: cut(description, MAX_DESCRIPTION) };
    return { ...parameter, schema: described };
  });
  const places = PLACES.flatMap((place) => {
    const here = written.filter((one) => one.in === place);
    const required = here.some((one) => one.required);
    return here.length > 0 ? [{ name: place, schema: closed(here), required }] : [];
  });
  const required = operation.requestBody?.required === true;
  return closed(body ? [...places, { name: 'body', schema: schemas.of(body.schema), required }] : places);
}

const closed = (
  members: readonly { name: string; schema: JsonObject; required: boolean }[],
): ObjectSchema => ({
  ...objectOf(
    Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    members.flatMap(({ name, required }) => (required ? [name] : [])),
  ),
  additionalProperties: false,
});
