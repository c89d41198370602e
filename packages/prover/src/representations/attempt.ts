import { authorizedRequest, expectSuccess, type OperationContext } from '../cases/case';
import { codecOf, sequenceOf } from '../document/media';
import { type ProtocolScenario, ruleKey } from '../obligation';
import { type CaseRunner, OF_STUBS } from '../case-runner';
import type { Server } from '../target';
import { header, isSuccess, pathOf, type RawRequest, type RawResponse, withPath } from '../wire/message';
import { codingRequests, headRequest } from './codings';
import { conditionalRequests, current, STALE } from './conditions';
import { rangeRequests } from './ranges';
import { type Asked, caseOf, documents, isSame, type Whole, wholeOf } from './whole';

/** Asks for what a GET answers in parts, with its validators, in content codings and by HEAD, and compares the answers. */
export async function attemptRepresentation(
  context: OperationContext,
  server: Server,
  runner: CaseRunner,
): Promise<void> {
  const { operation, document } = context;
  const leaveOpen = (reason: string, ...scenarios: readonly ProtocolScenario[]): void => {
    const keys = scenarios.map((scenario) => ruleKey(operation, 'protocol', scenario));
    runner.ledger.undecide(keys, { state: 'OUT OF REACH', reason });
  };
  if (operation.method !== 'GET') return;
  await runner.reset(server);
  const whole = await askWhole(context, server, runner);
  if (!whole) {
    leaveOpen('the minimal request no longer succeeds', ...COMPARED);
    return;
  }
  const { response, isStable, etag, modified } = whole;
  const isStream = sequenceOf(header(response, 'content-type') ?? '') !== undefined;
  const isPartial = response.cut && 'the prover reads only the start of the response';
  const changes = isPartial ?? (isStable ? undefined : 'two responses in a row differ');
  const noRange = changes ?? whyNoRange(response);
  const noCondition =
    changes ??
    (etag === undefined && modified === undefined
      ? 'its responses have neither a valid ETag nor Last-Modified'
      : undefined);
  if (noRange !== undefined) leaveOpen(noRange, 'ranges');
  if (noCondition !== undefined) leaveOpen(noCondition, 'conditional requests');
  const codings = isStream
    ? codingRequests(whole).slice(0, 1)
    : isPartial === undefined
      ? codingRequests(whole)
      : [];
  if (codings.length === 0) leaveOpen(isPartial ?? '', 'content codings');
  const hasHead = document.operations.some(
    ({ path, method }) => path === operation.path && method === 'HEAD',
  );
  const asked = [
    ...(hasHead ? [] : [headRequest(whole)]),
    ...(documents(operation, 206) && noRange === undefined ? rangeRequests(whole) : []),
    ...(documents(operation, 304) && noCondition === undefined ? conditionalRequests(whole) : []),
    ...codings,
  ];
  if (!(await attempt(whole, asked, context, server, runner)))
    leaveOpen('its responses change while they are compared', ...COMPARED);
}

/** Why an answer may have no parts; undefined if it may. */
function whyNoRange(response: RawResponse): string | undefined {
  if (response.status !== 200) return `it responds with ${response.status}`;
  if (response.body.length === 0 && header(response, 'content-type') === undefined)
    return 'its response has no content';
  if (codecOf(header(response, 'content-type') ?? '') !== 'binary') return 'its content is not bytes';
  if (header(response, 'content-encoding') !== undefined) return 'its content has a content coding';
  return header(response, 'content-length') === undefined ? 'its response has no Content-Length' : undefined;
}

/** What compares several answers of an operation. */
const COMPARED = ['ranges', 'conditional requests', 'content codings'] as const;

/**
 * Sends requests without a reset in between, which could renew what they are compared with.
 *
 * @returns whether the answers could be compared
 */
async function attempt(
  whole: Whole,
  asked: readonly Asked[],
  context: OperationContext,
  server: Server,
  runner: CaseRunner,
): Promise<boolean> {
  for (const one of asked) {
    const sent = caseOf(whole, one);
    if (runner.isStub(sent.operation) && runner.ledger.isKnown(sent)) {
      runner.leaveOut(sent.operation, sent.family, OF_STUBS, 1);
      continue;
    }
    const probed = await runner.probe(server, sent, sent.family);
    if (!probed) return true;
    if (probed.problems.length > 0) {
      const again = await askWhole(context, server, runner);
      if (!again || !isSame(again.response, whole.response)) return false;
    }
    const { problems, actual } = runner.record(probed);
    if (problems.length > 0) runner.fail(sent, { problems, ...(actual && { actual }) });
  }
  return true;
}

/** What the minimal request is answered, twice. */
async function askWhole(
  context: OperationContext,
  server: Server,
  runner: CaseRunner,
): Promise<Whole | undefined> {
  const request = authorizedRequest(context);
  const first = await ask(context, request, server, runner);
  const second = first && (await ask(context, request, server, runner));
  return second && wholeOf(context.operation, first.request, first.response, second.response);
}

async function ask(
  { operation }: OperationContext,
  request: RawRequest,
  server: Server,
  { probe }: CaseRunner,
): Promise<{ request: RawRequest; response: RawResponse } | undefined> {
  const title = 'the whole';
  const sent = {
    family: 'representations',
    title,
    operation,
    request,
    expect: expectSuccess,
    proves: [],
  } as const;
  const probed = await probe(server, sent, sent.family);
  if (!probed || !isSuccess(probed.outcome)) return undefined;
  return { request: probed.actual.request, response: probed.outcome };
}

/**
 * Sends an operation that documents 412 a precondition that does not hold, and one that does.
 *
 * @param reader the GET of the same path
 */
export async function attemptPreconditions(
  context: OperationContext,
  reader: OperationContext | undefined,
  server: Server,
  runner: CaseRunner,
): Promise<void> {
  const { operation } = context;
  if (!documents(operation, 412)) return;
  if (runner.isStub(operation)) {
    const reason = `the handler of ${operation.id} is a stub`;
    const keys = [ruleKey(operation, 'protocol', 'preconditions')];
    runner.ledger.undecide(keys, { state: 'OUT OF REACH', reason });
    return;
  }
  const send = async (asked: Asked): Promise<RawRequest | undefined> => {
    const sent = caseOf({ operation, request: authorizedRequest(context) }, asked);
    const { problems, outcome, actual = sent } = await runner.attempt(server, sent);
    if (problems.length > 0) runner.fail(sent, { problems, actual });
    return outcome && actual.request;
  };
  await runner.reset(server);
  const stale = await send(STALE);
  if (!stale || !reader || !['PUT', 'PATCH'].includes(operation.method)) return;
  const read = await ask(reader, withPath(authorizedRequest(reader), pathOf(stale)), server, runner);
  const etag = read && header(read.response, 'etag');
  if (etag !== undefined) await send(current(etag));
}
