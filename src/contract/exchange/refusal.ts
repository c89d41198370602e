import type { ServedOperation } from './served-operation';
import { type ReportFault, settle, settleWithin } from '../http/fault';
import { fieldValue, headerEntries } from '../http/header-field';
import { type Answer, type Headers, isFinalStatus, Problem, type ProblemKind } from '../problem';
import type { Encoded } from './response';
import type { ServiceOptions } from './service-options';

/** Makes the answer to a failure; never throws. `beyond` are the headers of a hook, which go with it. */
export type Refuse<Own extends string> = (
  error: unknown,
  served: ServedOperation | undefined,
  beyond: Headers | undefined,
) => [Problem<ProblemKind | Own>, Encoded];

const UNEXPECTED = 'the server failed to answer this request';

/**
 * Prepares the answers to failures: as the operation documents them or, where it does not, as they are rendered. If
 * `toProblem` or `render` fails, or what they return cannot be sent, the answer is that to an unexpected failure, which is
 * rendered now.
 *
 * @param operations all that are served
 */
export function createRefuse<Own extends string>(
  { toProblem, render }: Pick<ServiceOptions<Own>, 'toProblem' | 'render'>,
  operations: Iterable<ServedOperation>,
  fault: ReportFault,
): Refuse<Own> {
  type Known = Problem<ProblemKind | Own>;
  const unexpected = new Problem('unexpected', UNEXPECTED);
  const fallbackFor = (served?: ServedOperation) => {
    try {
      return encode(unexpected, served);
    } catch {
      return asItIs(render(unexpected, served?.operation), unexpected.headers);
    }
  };
  const fallback = fallbackFor();
  const fallbacks = new Map([...operations].map((served) => [served, fallbackFor(served)]));

  function problemOf(error: unknown): Known {
    try {
      const problem = toProblem(error);
      if (isProblem(problem)) return problem;
      settle(problem, fault);
      throw new TypeError('toProblem: expected a Problem, got something else');
    } catch (worse) {
      fault(worse);
      return new Problem('unexpected', UNEXPECTED, {}, { cause: error });
    }
  }

  function encode(problem: Known, served: ServedOperation | undefined, beyond?: Headers): Encoded {
    const own = beyond ? { ...without(beyond, problem.headers), ...problem.headers } : problem.headers;
    const rendered = render(problem, served?.operation);
    const parts: unknown[] = [rendered, problem.headers];
    try {
      const { status, headers, contentType, body } = rendered;
      parts.push(status, headers, contentType, body);
      const answer = { status, headers, contentType, body };
      if (served?.responses.documents(status) !== true) return asItIs(answer, own);
      return served.responses.write(answer, own);
    } catch (error) {
      settleWithin(parts, fault);
      throw error;
    }
  }

  return (error, served, beyond) => {
    const problem = problemOf(error);
    try {
      return [problem, encode(problem, served, beyond)];
    } catch (worse) {
      fault(problem); // its answer, and so its line in the log, is lost
      const encoded = (served && fallbacks.get(served)) ?? fallback;
      return [new Problem('unexpected', UNEXPECTED, {}, { cause: worse }), encoded];
    }
  };
}

/** Whether it really is what its type promises. */
const isProblem = (value: unknown): boolean => value instanceof Problem;

/** The headers whose names others do not have, in any case (RFC 9110 section 5.1). */
function without(headers: Headers, others: Headers): Headers {
  const names = new Set(Object.keys(others).map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase())));
}

/** An answer that no document judges; what HTTP cannot carry is an error all the same. */
function asItIs(
  { status, headers, contentType = 'application/json', body }: Answer,
  beyond: Headers,
): Encoded {
  if (!isFinalStatus(status)) throw new TypeError(`expected a status from 200 to 599, got ${status}`);
  const fields: Record<string, string> = {};
  const all = [...headerEntries(headers), ...headerEntries(beyond)];
  for (const [name, value] of [...all, ['Content-Type', contentType] as const])
    fields[name] = fieldValue(name, value);
  return { status, headers: fields, body: JSON.stringify(body) };
}
