import type { Answer, JsonObject } from 'contract-first-server';

/** One request, and what the handler answers it with. */
export interface Exchange {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  /** The body of the answer, as JSON text; without it the handler answers 204. */
  readonly answer?: string;
  /** Makes the whole answer in place of it: one that JSON cannot say. */
  readonly reply?: () => Answer;
}

/** A request that shall cost much, and one of the same size and operation that costs what requests cost. */
export interface Adversary {
  readonly name: string;
  /** @param size bytes of the part that grows */
  readonly hostile: (size: number) => Exchange;
  readonly innocent: (size: number) => Exchange;
}

/** All adversaries of one reader or keyword, against the operations of one document. */
export interface Subject {
  /** `JSON numbers`, `uniqueItems`. */
  readonly about: string;
  readonly direction: 'in' | 'out';
  readonly document: JsonObject;
  readonly adversaries: readonly Adversary[];
}

/** Values that a schema of no particular interest describes. */
const PLAIN = {
  type: 'array',
  items: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } },
};
const ITEM = '{"id":1,"name":"Monstera deliciosa"}';

/** A list of small objects, of this many characters. */
export const plainList = (size: number): string =>
  `[${`${ITEM},`.repeat(Math.floor(size / ITEM.length))}${ITEM}]`;

export const openApi = (paths: object, components: object = {}): JsonObject => ({
  openapi: '3.1.0',
  info: { title: 'Growth', version: '1.0.0' },
  paths,
  components,
});

const done = { 204: { description: 'done' } };
const json = (schema: unknown) => ({ 'application/json': { schema } });
const TYPED = [['Content-Type', 'application/json']] as const;

/** `POST /things` takes, or answers, `{plain, probe}`: the innocent value stands in one, the hostile one in the other. */
const envelope = (probe: unknown) => ({ type: 'object', properties: { plain: PLAIN, probe } });

/** Values of a schema, as JSON text, on the way in and on the way out. */
export function ofSchema(
  about: string,
  schema: unknown,
  values: readonly { readonly name: string; readonly make: (size: number) => string }[],
  schemas: object = {},
): Subject[] {
  const operationId = 'postThing';
  const incoming = {
    post: { operationId, requestBody: { content: json(envelope(schema)) }, responses: done },
  };
  const outgoing = {
    post: { operationId, responses: { 200: { description: 'done', content: json(envelope(schema)) } } },
  };
  const of = (part: string, text: string): string => `{"${part}":${text}}`;
  // What is no JSON can be sent, but is nothing that a handler returns.
  const returned = values.filter(({ make }) => isJson(make(100)));
  return [
    {
      about,
      direction: 'in',
      document: openApi({ '/things': incoming }, { schemas }),
      adversaries: values.map(({ name, make }) => ({
        name,
        hostile: (size) => ({ headers: TYPED, body: of('probe', make(size)) }),
        innocent: (size) => ({ headers: TYPED, body: of('plain', plainList(size)) }),
      })),
    },
    {
      about,
      direction: 'out',
      document: openApi({ '/things': outgoing }, { schemas }),
      adversaries: returned.map(({ name, make }) => ({
        name,
        hostile: (size) => ({ answer: of('probe', make(size)) }),
        innocent: (size) => ({ answer: of('plain', plainList(size)) }),
      })),
    },
  ];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
