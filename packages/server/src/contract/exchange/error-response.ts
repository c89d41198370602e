import type { IncomingMessage } from 'node:http';
import type { Operation } from '../operations/operations';
import { SHORT_MESSAGE } from './server-problems';
import { UndocumentedResponse } from './write-response';
import type { ServedOperation } from './served-operation';
import { hasNoContent } from '../http/body';
import { type ReportFault, settle, settleWithin } from '../http/fault';
import { fieldValue, headerEntries } from '../http/header-field';
import { isFinalStatus, OutgoingBody } from '../http/send';
import { stringifyJson } from '../json/stringify';
import { type Answer, type Headers, Problem, type ProblemKind } from '../problem';
import { without } from './hooks';
import type { Encoded } from './write-response';
import type { ServiceOptions } from './service-options';

/**
 * Creates the response to an error. It never throws.
 *
 * @param extra the headers of a hook
 * @param received what the handler got, if it was called
 * @param request whose language `render` gets
 */
export type ToErrorResponse<Own extends string> = (
  error: unknown,
  served: ServedOperation | undefined,
  extra: Headers | undefined,
  received?: object,
  request?: IncomingMessage,
) => [Problem<ProblemKind | Own>, Encoded];

const UNEXPECTED = 'the server failed to answer this request';

/**
 * Creates the function that turns errors into responses. It writes a response as the operation documents it or, if the
 * operation does not document its status, as `render` returns it. If `toProblem` or `render` fails, or their result cannot
 * be sent, it returns the response to the problem `unexpected`, which is rendered here, at start. With `onlyDocumented` a
 * message that does not fit the document is replaced by the one that was tried at start.
 *
 * @param operations all served operations
 * @param fault receives the errors that replace another, and the other
 */
export function createErrorResponse<Own extends string>(
  { toProblem, render, onlyDocumented }: Pick<ServiceOptions<Own>, 'toProblem' | 'render' | 'onlyDocumented'>,
  operations: Iterable<ServedOperation>,
  fault: ReportFault,
): ToErrorResponse<Own> {
  type ServiceProblem = Problem<ProblemKind | Own>;
  const unexpected = new Problem('unexpected', UNEXPECTED);
  const fallbackFor = (served?: ServedOperation) => {
    try {
      return encode(unexpected, served);
    } catch {
      return encodeUndocumented(render(unexpected, served?.operation), unexpected.headers);
    }
  };
  const fallback = fallbackFor();
  const fallbacks = new Map([...operations].map((served) => [served, fallbackFor(served)]));

  function problemOf(
    error: unknown,
    received: object | undefined,
    operation: Operation | undefined,
  ): ServiceProblem {
    try {
      const problem = toProblem(error, received, operation);
      if (isProblem(problem)) return problem;
      settle(problem, fault);
      throw new TypeError('toProblem: expected a Problem, got something else');
    } catch (worse) {
      fault(worse);
      return new Problem('unexpected', UNEXPECTED, {}, { cause: error });
    }
  }

  function encode(
    problem: ServiceProblem,
    served: ServedOperation | undefined,
    extra?: Headers,
    language?: string,
  ): Encoded {
    const own = extra ? { ...without(extra, problem.headers), ...problem.headers } : problem.headers;
    const rendered = render(problem, served?.operation, language);
    const parts: unknown[] = [rendered, problem.headers];
    try {
      const { status, headers, contentType, body } = rendered;
      parts.push(status, headers, contentType, body);
      const answer = hasNoContent(status) ? { status, headers } : { status, headers, contentType, body };
      if (served?.responses.documents(status) !== true) {
        if (onlyDocumented === true && served)
          throw new UndocumentedResponse(`the status ${status} of ${problem.kind} is not documented`);
        return encodeUndocumented(answer, own);
      }
      const encoded = served.responses.write(answer, own);
      if (!(encoded.body instanceof OutgoingBody)) return encoded;
      throw new TypeError('the body of an error cannot be a stream, but a stream was given');
    } catch (error) {
      settleWithin(parts, fault);
      throw error;
    }
  }

  function fitting(...[problem, served, extra, language]: Parameters<typeof encode>): Encoded {
    try {
      return encode(problem, served, extra, language);
    } catch (error) {
      if (onlyDocumented !== true || !(error instanceof UndocumentedResponse)) throw error;
      return encode(
        new Problem<ProblemKind | Own>(problem.kind, SHORT_MESSAGE, problem.headers),
        served,
        extra,
        language,
      );
    }
  }

  /** The response to an error that has none: with the headers of the exchange, unless rendering has failed. */
  function lastResort(worse: unknown, served: ServedOperation | undefined, extra?: Headers): Encoded {
    try {
      if (worse instanceof UndocumentedResponse) return encode(unexpected, served, extra);
    } catch {
      // What was rendered at the start cannot fail.
    }
    return (served && fallbacks.get(served)) ?? fallback;
  }

  return (error, served, extra, received, request) => {
    const problem = problemOf(error, received, served?.operation);
    try {
      return [problem, fitting(problem, served, extra, languageOf(request, served))];
    } catch (worse) {
      fault(problem); // it has no response, so the outcome does not report it
      return [new Problem('unexpected', UNEXPECTED, {}, { cause: worse }), lastResort(worse, served, extra)];
    }
  };
}

/** The field that says in which language the client reads, where the document has it. */
function languageOf(request?: IncomingMessage, served?: ServedOperation): string | undefined {
  const isDocumented = served?.operation.parameters.some(
    ({ in: place, name }) => place === 'header' && /^accept-language$/i.test(name),
  );
  return isDocumented === true ? request?.headers['accept-language'] : undefined;
}

/** Untyped code may return another value. */
const isProblem = (value: unknown): boolean => value instanceof Problem;

/**
 * Encodes a response that the document does not describe.
 *
 * @throws {TypeError} if HTTP cannot carry it
 */
function encodeUndocumented(
  { status, headers, contentType = 'application/json', body }: Answer,
  extra: Headers,
): Encoded {
  if (!isFinalStatus(status)) throw new TypeError(`expected a status from 200 to 599, got ${status}`);
  const fields: Record<string, string> = {};
  const all = [...headerEntries(headers), ...headerEntries(extra)];
  if (!hasNoContent(status)) all.push(['Content-Type', contentType]);
  for (const [name, value] of all) fields[name] = fieldValue(name, value);
  return { status, headers: fields, body: body === undefined ? undefined : stringifyJson(body) };
}
