import { authorizedRequest, type Case, type OperationContext } from '../cases/case';
import { ruleKey } from '../obligation';
import type { CaseRunner } from '../case-runner';
import { keyOf, withKey } from '../request/idempotency-key';
import { freshLeaves, withFreshLeaves } from '../state/fresh';
import type { Server } from '../target';
import { isSuccess, type RawRequest, type RawResponse, summarize } from '../wire/message';

/** Sends a request with a key, then the same one, which gets the same answer, then another with that key, which gets 422. */
export async function attemptRetries(
  context: OperationContext,
  server: Server,
  runner: CaseRunner,
): Promise<void> {
  const { operation, base, target } = context;
  if (!keyOf(operation)) return;
  const proves = [ruleKey(operation, 'protocol', 'idempotency keys')];
  const leaveOpen = (keys: readonly string[], reason: string): void => {
    runner.ledger.undecide(keys, { state: 'OUT OF REACH', reason });
  };
  if (runner.isStub(operation)) {
    leaveOpen(proves, `the handler of ${operation.id} is a stub`);
    return;
  }
  const refusals = Object.values(target.ownRefusals ?? {});
  const answersWith = (code: string): string[] =>
    operation.responses
      .filter(({ status }) => status === code)
      .flatMap(({ content }) => (content.length > 0 ? content.map(({ name }) => name) : ['no body']))
      .map((media) => ruleKey(operation, 'response', code, media));
  // Where the service refuses nothing else by 409.
  if (!refusals.some(({ status, operations }) => status === 409 && operations.includes(operation.id)))
    leaveOpen(
      answersWith('409'),
      'requests that are sent one after the other are never in progress together',
    );
  const request = withKey(context, operation, authorizedRequest(context));
  if (!request) {
    leaveOpen(proves, 'no key is known that its schema admits');
    return;
  }
  const send = async (title: string, asked: RawRequest, expect: Case['expect'], isProof: boolean) => {
    const sent: Case = {
      ...{ family: 'stored', title, operation, request: asked, expect, rule: 'idempotency keys' },
      proves: isProof ? proves : [],
    };
    const { problems, outcome, actual = sent } = await runner.attempt(server, sent);
    if (problems.length > 0) runner.fail(sent, { problems, actual });
    return outcome && !('noResponse' in outcome) ? { answer: outcome, request: actual.request } : undefined;
  };
  const expected = (what: string, holds: (outcome: RawResponse) => boolean): Case['expect'] => ({
    kind: 'compared',
    compare: (outcome) => ({
      findings: holds(outcome)
        ? []
        : [{ rule: 'idempotency keys', message: `expected ${what}, got ${summarize(outcome)}` }],
    }),
  });
  await runner.reset(server);
  const first = await send(
    'a request with a key',
    request,
    expected('an answer', () => true),
    false,
  );
  if (!first || !isSuccess(first.answer)) {
    leaveOpen(proves, 'the minimal request with a key has no success');
    return;
  }
  const { answer } = first;
  const isSame = ({ status, body }: RawResponse) => status === answer.status && body.equals(answer.body);
  await send('its retry', first.request, expected('the answer to the first request', isSame), true);
  const leaves = freshLeaves(context, base);
  const body = withFreshLeaves(request.body?.toString() ?? '', leaves);
  const other = body !== undefined && { ...first.request, body: Buffer.from(body) };
  const isRefused = ({ status }: RawResponse) => status === 422;
  if (!other) leaveOpen(answersWith('422'), 'it has no body, so no other request is known for its key');
  else await send('another request with its key', other, expected('422', isRefused), true);
}
