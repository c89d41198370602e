import { ADVICE } from '../advice';
import type { Expectation, Comparison } from '../cases/case';
import { codecOf } from '../document/media';
import { documentsSuccess, negotiableMediaTypes } from '../document/model';
import { fromJson, print } from '../json/value';
import type { Finding } from '../profile';
import { header, summarize } from '../wire/message';
import type { ExpectedBytes } from '../target';
import type { Exchange, ServiceRejectionReason } from './comparison';
import { hasMembers, matchesRule } from './refused';

/** Compares an answer that the service itself should give. */
export function serviceFindings(
  exchange: Exchange,
  { outcomes, members = {}, bytes, mediaType, isVaried }: Extract<Expectation, { kind: 'answered' }>,
  ownRefusal: ServiceRejectionReason,
): Comparison {
  const { target, sent, operation, outcome, response, value, entered } = exchange;
  const { status } = outcome;
  const isDocumented = response !== undefined && response.status !== 'default';
  const isSuccess = status >= 200 && (status <= 299 || (status <= 399 && isDocumented));
  const matching = Object.entries(target.ownRefusals ?? {})
    .filter(([, rule]) => matchesRule(rule, outcome, value))
    .map(([name]) => name);
  const isExpected = outcomes.some((name) =>
    target.ownRefusals?.[name] ? matching.includes(name) : isSuccess,
  );
  // RFC 9110 section 15.5.7: a server may have only some of the documented representations.
  const lacksType =
    target.profile === 'document' && status === 406 && negotiableMediaTypes(operation).length > 1;
  const inconclusive =
    isExpected || status < 400
      ? undefined
      : (ownRefusal(sent, outcome) ??
        (lacksType && mediaType !== undefined
          ? `the service answered 406: it has no ${mediaType}`
          : undefined));

  /** A valid request may meet a refusal that depends on the state of the service: the remedy. */
  const hint = (): string => {
    const { source = 'the target', blackBox } = target;
    const [name] = matching;
    if (!outcomes.includes('success') || sent.family === 'scenarios') return '';
    if (name !== undefined && isVaried === true)
      return `; ${ADVICE.allowOwnRefusal(name, operation.id, source)}`;
    if (name !== undefined) return `; ${ADVICE.holdExamples(name, source)}`;
    return blackBox && status >= 400 && status <= 499 ? `; ${ADVICE.refuseOtherwise()}` : '';
  };

  const findings: Finding[] = [];
  const add = (rule: Finding['rule'], expected: string): void => {
    findings.push({ rule, message: `expected ${expected}, got ${summarize(outcome)}` });
  };
  if (inconclusive === undefined) {
    if (!isExpected) {
      const rule = sent.rule ?? (outcomes.includes('success') ? 'valid request' : 'own refusal');
      const message = `expected ${outcomes.join(' or ')}, got ${summarize(outcome)}${hint()}`;
      findings.push({ rule, message });
    }
    /** Whether the answer is as a scenario expects it, by a function of its author. */
    const holds = (predicate: () => boolean): boolean => {
      try {
        return predicate();
      } catch (error) {
        add('own refusal', `a body that the function of the scenario can read (it threw ${String(error)})`);
        return true;
      }
    };
    if (!holds(() => hasBytes(bytes, outcome.body)))
      add(
        'own refusal',
        `a body of ${typeof bytes === 'function' ? bytes.toString() : `${Buffer.byteLength(bytes ?? '')} certain bytes`}`,
      );
    const isText = codecOf(header(outcome, 'content-type') ?? '') === 'text';
    const read = value ?? (isText ? outcome.body.toString() : undefined);
    if (!holds(() => hasMembers(members, read))) {
      const expected = Object.entries(members).map(
        ([name, member]) =>
          [name, typeof member === 'function' ? member.toString() : fromJson(member)] as const,
      );
      add('own refusal', `a body with ${print(new Map(expected))}`);
    }
  }
  // Where the document describes no success, it says nothing of this one.
  if (!response && (status >= 400 || documentsSuccess(operation)))
    add(
      inconclusive === undefined && status < 400 ? 'documented success' : 'documented error',
      'a documented status',
    );
  if (entered === 0)
    findings.push({ rule: 'entered service', message: 'expected the service to be entered, but it was not' });
  return { findings, inconclusive };
}

const hasBytes = (expected: ExpectedBytes | undefined, body: Buffer): boolean =>
  typeof expected === 'function'
    ? expected(body)
    : expected === undefined || Buffer.from(expected).equals(body);
