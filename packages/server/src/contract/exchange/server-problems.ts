import type { OpenApiDocument } from '../document/document';
import type { Finding } from '../document/finding';
import { negotiable, type Operation } from '../operations/operations';
import { type Answer, Problem, type ProblemKind } from '../problem';
import { overlayLines } from '../operations/overlay';
import { judgesState, rejectsRanges } from './select-response';
import { fits, PROBLEM_HEADERS, responseActions, type Undocumented } from './problem-overlay';
import type { ServedOperation } from './served-operation';

type Happens = (operation: Operation) => boolean;

const never: Happens = () => false;
const always: Happens = () => true;
const takesBody: Happens = ({ requestBody }) => (requestBody?.content.length ?? 0) > 0;
const hasErrorBody = ({ responses }: Operation, status: number): boolean =>
  responses.get(String(status))?.content.length !== 0;
// Also where none are needed: credentials of another kind, or half of an alternative.
const takesCredentials: Happens = ({ security }) => security.flat().length > 0;

/** Whether the server itself can raise a kind of problem for an operation. Before path and method are known, there is no operation. */
const HAPPENS: Readonly<Record<ProblemKind, Happens>> = {
  // In the stages `head` and `route`.
  headersTooLarge: never,
  unknownTransferCoding: never,
  versionNotSupported: never,
  notFound: never,
  methodNotAllowed: never,
  // Each operation rejects a query parameter and a body that it does not document, and Authorization that is given twice.
  malformed: always,
  invalidRequest: always,
  noCredentials: takesCredentials,
  badCredentials: takesCredentials,
  forbidden: ({ security }) => security.flat().some(({ scopes }) => scopes.length > 0),
  notAcceptable: (operation) => {
    const responses = negotiable(operation);
    return responses.length > 0 && responses.every(({ content }) => content.length > 0);
  },
  requestTimeout: takesBody,
  tooLarge: takesBody,
  unsupportedMediaType: takesBody,
  // Only where the handler repeats answers.
  keyInUse: never,
  keyReused: never,
  preconditionFailed: (operation) => judgesState(operation) && hasErrorBody(operation, 412),
  rangeNotSatisfiable: (operation) => rejectsRanges(operation) && hasErrorBody(operation, 416),
  unexpected: always,
  unavailable: always,
  // Of a stub that the document yields no response for: no service runs with one. It is answered as `unexpected`.
  notImplemented: never,
};

/** Whether the server itself can raise this kind of problem for an operation. */
export const canHappen = (kind: ProblemKind, operation: Operation): boolean => HAPPENS[kind](operation);

/** The message of the problems that are rendered at start. It also replaces a message that is too long for the document. */
export const SHORT_MESSAGE = 'refused';

/** One problem of each kind that the server itself can raise for an operation, and of these others. */
export const serverProblems = (operation: Operation, others: readonly ProblemKind[] = []): Problem[] =>
  (Object.keys(HAPPENS) as ProblemKind[])
    .filter((kind) => HAPPENS[kind](operation) || others.includes(kind))
    .map((kind) => new Problem(kind, SHORT_MESSAGE, PROBLEM_HEADERS));

type Render<Own extends string> = (problem: Problem<ProblemKind | Own>, operation: Operation) => Answer;

/**
 * The error responses of the server itself that an operation does not document: neither by their status nor by a range (`4XX`)
 * or `default` that they fit. (One that does not fit the response of its own status is a finding of `checkWiring`.)
 *
 * @param policies one problem of each kind that a hook can raise for any operation, such as a rate limit
 * @param kindsOf what the handler of an operation raises
 */
export function undocumentedResponses<Own extends string>(
  served: Iterable<ServedOperation>,
  render: Render<Own>,
  policies: readonly Problem<Own>[] = [],
  kindsOf: (operation: Operation) => readonly ProblemKind[] = () => [],
): Undocumented[] {
  return [...served].flatMap((one) => {
    const { operation } = one;
    const problems = [...serverProblems(operation, kindsOf(operation)), ...policies];
    const answers = problems.map((problem) => render(problem, operation));
    const lacking = answers.filter(
      (answer) => !operation.responses.has(String(answer.status)) && !fits(one, answer),
    );
    return [...new Map(lacking.map((answer) => [answer.status, answer])).values()].map((answer) => ({
      operation,
      answer,
    }));
  });
}

/** How many operations a line names. */
const MAX_NAMED = 3;

/**
 * A finding about all of these responses, with the actions of an overlay that document them; undefined if there are none.
 *
 * @param advice a sentence before the actions
 */
export function undocumentedFinding(
  document: OpenApiDocument,
  served: readonly ServedOperation[],
  undocumented: readonly Undocumented[],
  advice: string,
): Finding | undefined {
  if (undocumented.length === 0) return undefined;
  const byStatus = Map.groupBy(undocumented, ({ answer }) => answer.status);
  const lines = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, all]) => {
      const named = all.slice(0, MAX_NAMED).map(({ operation }) => operation.operationId);
      const more = all.length - named.length;
      return `  ${status}: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
    });
  return {
    pointer: '/paths',
    message: `this server sends responses that these operations do not document:
${lines.join('\n')}
${advice}

${overlayLines(responseActions(document, served, undocumented))}`,
  };
}
