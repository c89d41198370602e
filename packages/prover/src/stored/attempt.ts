import { authorizedRequest, type Case, inputCase, type OperationContext } from '../cases/case';
import type { Value } from '../json/value';
import { ruleKey } from '../obligation';
import { type Finding, levelOf, messagesOf } from '../profile';
import type { CaseRunner } from '../case-runner';
import { encodeName, namesIn } from '../state/sources';
import type { Server } from '../target';
import { reasonOf } from '../untestable';
import { jsonOf, type Outcome, pathOf, type RawRequest, type RawResponse, withPath } from '../wire/message';
import { compareStored, type Compared } from './compare';
import { type Reader, readerOf } from './reader';
import { valuesToStore } from './values';

/** What was read after a request that was accepted. */
interface ReadBack {
  readonly write: Case;
  readonly read: Parameters<CaseRunner['record']>[0];
  readonly compared: Compared;
}

/** Stores values by each operation that has a reader, reads them back and compares both. */
export async function attemptStored(
  contexts: readonly OperationContext[],
  server: Server,
  runner: CaseRunner,
): Promise<void> {
  const found: ReadBack[] = [];
  for (const context of contexts) {
    const way = readerOf(context.document, context.operation);
    const reader = contexts.find(({ operation }) => operation === way?.reader);
    if (!way || !reader) continue;
    const stub = [context, reader].find(({ operation }) => runner.isStub(operation))?.operation.id;
    const key = ruleKey(context.operation, 'stored', way.reader.id);
    const leaveOpen = (reason: string): void => {
      runner.ledger.undecide([key], { state: 'OUT OF REACH', reason });
    };
    if (stub === undefined) {
      try {
        /** The path of the resource that is changed: an earlier case may have removed that of the minimal request. */
        let own: string | undefined;
        const attempt = async (value: Value): Promise<boolean> => {
          const one = await readBack(context, reader, way, { value, own }, server, runner);
          if (one && typeof one !== 'string' && !way.source) own = pathOf(one.write.request);
          if (typeof one === 'string') leaveOpen(one);
          else if (one) found.push(one);
          return typeof one !== 'string';
        };
        for (const { value, instead } of valuesToStore(context, way.slot))
          if (!(await attempt(value))) for (const other of instead) await attempt(other);
      } catch (error) {
        leaveOpen(reasonOf(error));
      }
    } else leaveOpen(`the handler of ${stub} is a stub`);
  }
  // A mock shows nothing of what it is sent.
  const isMock = found.every(({ compared }) => compared.unusual === 0);
  for (const one of found) recordComparison(one, isMock, runner);
}

/** Stores a value and reads it back. A sentence says why that shows nothing; undefined if the run must end. */
async function readBack(
  context: OperationContext,
  reader: OperationContext,
  way: Reader,
  { value, own }: { readonly value: Value; readonly own: string | undefined },
  server: Server,
  runner: CaseRunner,
): Promise<ReadBack | string | undefined> {
  const title = `${way.slot.label} is read back by ${way.reader.id}`;
  const inputs = way.slot.fill(context.base, value);
  const request = authorizedRequest(context, inputs);
  const sent = inputCase(context, 'stored', title, inputs, {
    request: own === undefined ? request : withPath(request, own),
    expect: { kind: 'handled' },
    rule: 'no server error',
  });
  await runner.reset(server);
  const { outcome, actual = sent, problems } = await runner.attempt(server, sent);
  if (!outcome) return undefined;
  if (problems.length > 0) runner.fail(sent, { problems, actual });
  if (!isStored(outcome)) return `${context.operation.id} did not store what was sent`;
  const path = pathToRead(context, way, actual.request, outcome);
  if (path === undefined) return `no response of ${context.operation.id} names what it creates`;
  const asked: Case = {
    family: 'stored',
    title,
    operation: way.reader,
    request: withPath(authorizedRequest(reader), path),
    expect: { kind: 'handled' },
    rule: 'stored value',
    proves: [ruleKey(context.operation, 'stored', way.reader.id)],
  };
  let before: string | undefined;
  for (;;) {
    const read = await runner.probe(server, asked, 'stored');
    if (!read) return undefined;
    const compared = comparedWith(context, way, actual.request, read.outcome, path);
    if (typeof compared === 'string') return compared;
    const differences = compared.differences.join('\n');
    // What changes by itself says nothing.
    if (differences === '' || differences === before) return { write: actual, read, compared };
    if (before !== undefined) return `two responses of ${way.reader.id} in a row differ`;
    before = differences;
  }
}

/** Whether an answer says that what was sent is stored now (RFC 9110 section 15.3; 202 promises nothing). */
const isStored = (outcome: Outcome): outcome is RawResponse =>
  !('noResponse' in outcome) && [200, 201, 204].includes(outcome.status);

/** The path at which what a request has stored is read. */
function pathToRead(
  context: OperationContext,
  { reader, source }: Reader,
  request: RawRequest,
  outcome: RawResponse,
): string | undefined {
  if (!source) return pathOf(request);
  const name = encodeName(context, reader.path, namesIn(source, reader.path, request, outcome));
  const collection =
    source.expression === undefined ? pathOf(request) : reader.path.slice(0, reader.path.lastIndexOf('/'));
  return name === undefined || collection.includes('{') ? undefined : `${collection}/${name}`;
}

/** A sentence if the answer shows nothing. */
function comparedWith(
  context: OperationContext,
  way: Reader,
  request: RawRequest,
  outcome: Outcome,
  path: string,
): Compared | string {
  if ('noResponse' in outcome) return `${way.reader.id} did not respond`;
  const [sent, read] = [jsonOf(request), jsonOf(outcome)];
  if (outcome.status === 404 && !way.source) {
    const message = `expected to read back what ${context.operation.id} has stored, got 404`;
    return { differences: [message], same: 0, unusual: 0 };
  }
  if (outcome.status !== 200 || sent === undefined || read === undefined)
    return `${way.reader.id} responded with ${outcome.status}, without what was stored`;
  const compared = compareStored(context, way, sent, read, path);
  return compared.same + compared.differences.length > 0
    ? compared
    : `${way.reader.id} shows nothing of what ${context.operation.id} takes`;
}

function recordComparison({ write, read, compared }: ReadBack, isMock: boolean, runner: CaseRunner): void {
  const profile = runner.profile;
  const findings = compared.differences.map((message): Finding => ({ rule: 'stored value', message }));
  const isWarning = findings.length > 0 && levelOf(profile, 'stored value') === 'warning';
  const { result } = read;
  const shown = {
    ...read,
    problems: [...read.problems, ...messagesOf(profile, 'failure', findings)],
    result:
      isWarning && isMock
        ? { ...result, inconclusive: 'the server shows nothing of what it is sent, as a mock does' }
        : {
            ...result,
            warnings: [...result.warnings, ...messagesOf(profile, 'warning', findings)],
            isWarned: result.isWarned === true || isWarning,
          },
  };
  const { problems, actual = read.actual } = runner.record(shown);
  if (problems.length > 0) runner.failures.push(runner.describe(actual, problems, [write]));
}
