import type { ServedOperation } from '../compile';
import { type ReportFault, settle, settleWithin } from '../http/fault';
import { fieldValue, headerEntries } from '../http/header-field';
import { type Answer, isFinalStatus, Problem } from '../problem';
import type { Encoded } from './response';
import type { ServiceOptions } from './service-options';

/** Makes the answer to a failure; never throws. */
export type Refuse = (error: unknown, served: ServedOperation | undefined) => [Problem, Encoded];

const UNEXPECTED = 'the server failed to answer this request';

/**
 * Prepares the answers to failures: as the operation documents them or, where it does not, as they are rendered. If
 * `toProblem` or `render` fails, or what they return cannot be sent, the answer is that to an unexpected failure, which is
 * rendered now.
 *
 * @param operations all that are served
 */
export function createRefuse(
  { toProblem, render }: Pick<ServiceOptions, 'toProblem' | 'render'>,
  operations: Iterable<ServedOperation>,
  fault: ReportFault,
): Refuse {
  const unexpected = new Problem('unexpected', UNEXPECTED);
  const fallbackFor = (served?: ServedOperation) => {
    try {
      return encode(unexpected, served);
    } catch {
      return asItIs(render(unexpected, served?.operation), unexpected);
    }
  };
  const fallback = fallbackFor();
  const fallbacks = new Map([...operations].map((served) => [served, fallbackFor(served)]));

  function problemOf(error: unknown): Problem {
    try {
      const problem: unknown = toProblem(error);
      if (problem instanceof Problem) return problem;
      settle(problem, fault);
      throw new TypeError('toProblem: expected a Problem, got something else');
    } catch (worse) {
      fault(worse);
      return new Problem('unexpected', UNEXPECTED, {}, { cause: error });
    }
  }

  function encode(problem: Problem, served: ServedOperation | undefined): Encoded {
    const rendered = render(problem, served?.operation);
    const parts: unknown[] = [rendered, problem.headers];
    try {
      const { status, headers, contentType, body } = rendered;
      parts.push(status, headers, contentType, body);
      const answer = { status, headers, contentType, body };
      if (served?.responses.documents(status) !== true) return asItIs(answer, problem);
      return served.responses.write(answer, problem.headers);
    } catch (error) {
      settleWithin(parts, fault);
      throw error;
    }
  }

  return (error, served) => {
    const problem = problemOf(error);
    try {
      return [problem, encode(problem, served)];
    } catch (worse) {
      fault(problem); // its answer, and so its line in the log, is lost
      const encoded = (served && fallbacks.get(served)) ?? fallback;
      return [new Problem('unexpected', UNEXPECTED, {}, { cause: worse }), encoded];
    }
  };
}

/** An answer that no document judges; what HTTP cannot carry is an error all the same. */
function asItIs(
  { status, headers, contentType = 'application/json', body }: Answer,
  problem: Problem,
): Encoded {
  if (!isFinalStatus(status)) throw new TypeError(`expected a status from 200 to 599, got ${status}`);
  const fields: Record<string, string> = {};
  const all = [...headerEntries(headers), ...headerEntries(problem.headers)];
  for (const [name, value] of [...all, ['Content-Type', contentType] as const])
    fields[name] = fieldValue(name, value);
  return { status, headers: fields, body: JSON.stringify(body) };
}
