/** Calls operations for one POST. */
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { compileAnswers, type OpenApiDocument, type Operation } from '../contract/tools';
import type { Headers, Problem } from '../contract';
import { challengeOf, type McpOptions, metadataOf, resourceOf } from './access';
import { failure, resultOf } from './answers';
import { UnusableArguments, writeArguments } from './arguments';
import { createClient } from './in-process';
import type { Call } from './protocol';

/** The fields of a POST that are about itself, and not about its caller. */
const OWN =
  /^(accept(-encoding)?|connection|content-.*|expect|if-.*|keep-alive|mcp-.*|origin|range|sec-.*|te|trailer|transfer-encoding|upgrade|x-request-id)$/;

/** The calls of one POST. */
interface Caller {
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
    readonly problem?: Problem,
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
  const readers = compileAnswers(document, operations, options.extensions);

  return (request: IncomingMessage, requestId: string, left: AbortSignal): Caller => {
    const resource = resourceOf(options, request);
    const call: Call = async ({ operation, body, answers }, given) => {
      caller.hasCalled = true;
      try {
        const made = writeArguments(document, operation, body, given);
        const [path = ''] = made.path.split('?', 1);
        const found = contract.router.find(path)?.target.get(operation.method)?.operation.operationId;
        if (found !== operation.operationId)
          throw new UnusableArguments(
            `path: ${path} is the path of ${found ?? 'nothing'}, and not of this tool`,
          );
        const own = { ...made.headers, Accept: answers.accept, 'X-Request-Id': requestId };
        const headers = fieldsOf(request, own);
        const answered = await options.within(resource, () => ask({ ...made, headers }, request, left));
        const { statusCode: status = 0 } = answered;
        const challenge = answered.headers['www-authenticate'];
        if (challenge !== undefined && (status === 401 || status === 403)) {
          const isPublic = metadataOf(document, options, request) !== undefined;
          const text = isPublic ? challengeOf(challenge, document, operation, resource) : challenge;
          const words = status === 401 ? 'other credentials are needed' : 'the credentials do not allow this';
          caller.rejection = new Rejected(status, words, { 'WWW-Authenticate': text });
        }
        const uri = new URL(made.path, resource).href;
        return await resultOf(answered, operation, answers, readers, uri);
      } catch (error) {
        if (error instanceof UnusableArguments) return failure(error.message);
        if (!left.aborted) fault(error, requestId);
        return failure('The server answered nothing that can be read.');
      }
    };
    const caller: Caller = { call, hasCalled: false, rejection: undefined };
    return caller;
  };
}

/** The fields of a request, with those of the POST that are about its caller. */
function fieldsOf({ headersDistinct }: IncomingMessage, own: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const kept = Object.entries(headersDistinct).filter(([name]) => !OWN.test(name));
  const { cookie, ...others } = Object.fromEntries(
    Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const cookies = [headersDistinct['cookie'] ?? [], cookie ?? []].flat().map(String);
  return { ...Object.fromEntries(kept), ...others, cookie: cookies };
}
