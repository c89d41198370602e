/** Calls operations for one POST. */
import type { IncomingMessage } from 'node:http';
import {
  compileAnswers,
  type MediaTypeObject,
  type OpenApiDocument,
  type Operation,
  type ReadAnswer,
} from '../contract/tools';
import type { Headers } from '../contract';
import { challengeOf, type McpOptions, metadataOf, resourceOf } from './access';
import { failure, resultOf } from './answers';
import { UnusableArguments, writeArguments } from './arguments';
import { createClient, type Fields, pairsOf } from './in-process';
import { type Call, unusable } from './protocol';

/** The fields of a POST that are about itself, and not about its caller. */
const OWN =
  /^(accept(-encoding)?|connection|content-.*|expect|if-.*|keep-alive|mcp-.*|origin|range|sec-.*|te|trailer|transfer-encoding|upgrade|x-request-id)$/i;

/** The calls of one POST. */
interface Caller {
  /** That of its message. */
  id: unknown;
  readonly call: Call;
  hasCalled: boolean;
  /** Of credentials: it is one of HTTP, and not a result. */
  rejection: Rejected | undefined;
}

/** A message that is answered by HTTP alone, with the error of JSON-RPC 2.0 section 5.1. */
export class Rejected extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Headers = {},
    readonly code = -32_000,
  ) {
    super(message);
  }
}

/** @returns the caller of a POST. The log has its calls under the id of the POST. */
export function createCaller(
  document: OpenApiDocument,
  operations: readonly Operation[],
  options: McpOptions,
) {
  const { contract, service, fault } = options;
  const ask = createClient(service);
  const compile = compileAnswers(document, operations, options.extensions);
  const compiled = new Map<string, ReadAnswer | undefined>();
  const readerOf = (media: MediaTypeObject) => {
    if (!compiled.has(media.pointer)) compiled.set(media.pointer, compile(media));
    return compiled.get(media.pointer);
  };

  return (request: IncomingMessage, requestId: string, left: AbortSignal): Caller => {
    const resource = resourceOf(options, request);
    const call: Call = async ({ operation, body, answers }, given) => {
      caller.hasCalled = true;
      try {
        const made = writeArguments(document, operation, body, given);
        const [path = ''] = made.url.split('?', 1);
        const found = contract.router.find(path)?.target.get(operation.method)?.operation.operationId;
        if (found !== operation.operationId)
          throw new UnusableArguments(
            `path: ${path} is the path of ${found ?? 'nothing'}, and not of this tool`,
          );
        const headers = fieldsOf(request, [
          ...made.headers,
          ['Accept', answers.accept],
          ['X-Request-Id', requestId],
        ]);
        const answered = await options.within(resource, () => ask({ ...made, headers }, request, left));
        const {
          statusCode: status = 0,
          headers: { 'www-authenticate': challenge },
        } = answered;
        if (challenge !== undefined && (status === 401 || status === 403)) {
          const isPublic = metadataOf(document, options, request) !== undefined;
          const text = isPublic ? challengeOf(challenge, document, operation, resource) : challenge;
          const words = status === 401 ? 'other credentials are needed' : 'the credentials do not allow this';
          caller.rejection = new Rejected(status, words, { 'WWW-Authenticate': text });
        }
        const uri = new URL(made.url, resource).href;
        return await resultOf(answered, operation, answers, readerOf, uri);
      } catch (error) {
        if (error instanceof UnusableArguments) return unusable(error.message);
        if (!left.aborted) fault(error, requestId);
        return failure('nothing that can be read');
      }
    };
    const caller: Caller = { id: null, call, hasCalled: false, rejection: undefined };
    return caller;
  };
}

/** The fields of a request, with those of the POST that are about its caller. */
function fieldsOf({ rawHeaders }: IncomingMessage, own: Fields) {
  const names = new Set(own.map(([name]) => name.toLowerCase()));
  const isCookie = (name: string) => name.toLowerCase() === 'cookie';
  const caller = pairsOf(rawHeaders);
  const kept = caller.filter(
    ([name]) => !OWN.test(name) && !isCookie(name) && !names.has(name.toLowerCase()),
  );
  const cookies = [...caller, ...own].filter(([name]) => isCookie(name)).map(([, value]) => value);
  const others = own.filter(([name]) => !isCookie(name));
  return [...kept, ...others, ...(cookies.length > 0 ? [['Cookie', cookies.join('; ')] as const] : [])];
}
