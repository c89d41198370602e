/** What is left to write in a service. */
import { readOperations } from '../../../src/contract';
import { ERRORS } from '../../../src/runtime';
import type { Waiver } from '../target';
import { openWaivers } from '../waivers';
import { SERVICE, type ServiceTarget } from './service-target';

export interface Item {
  /** With the number of its lines, or of what they stand for. */
  readonly title: string;
  readonly lines: readonly string[];
}

/** A part of the document that the overlay removes. */
export interface LeftOut {
  /** JSONPath. */
  readonly target: string;
  readonly reason: string;
}

/**
 * @param fileOf the file with the stub of an operation
 * @param leftOut the parts of the document that the overlay removes
 */
export function itemsOf(
  target: ServiceTarget,
  fileOf: (operationId: string) => string,
  leftOut: readonly LeftOut[],
): Item[] {
  const { stubs, waiting, waivers } = target;
  const item = (lines: readonly string[], one: string, many: string, size = lines.length): Item => ({
    title: `${size} ${size === 1 ? one : many}`,
    lines,
  });
  const scenarioless = withoutScenario(target);
  return [
    item(
      stubs.map((id) => `${id}: ${fileOf(id)}`),
      'operation is a stub, which answers from the document: write the handler',
      'operations are stubs, which answer from the document: write the handlers',
    ),
    item(
      waiting.map(({ title, steps }) => {
        const needed = [...new Set(steps.map(({ operation }) => operation))].filter((id) =>
          stubs.includes(id),
        );
        return `${title} (${needed.join(', ')})`;
      }),
      'scenario waits for these handlers',
      'scenarios wait for these handlers',
    ),
    item(
      scenarioless,
      `response of a stub has no scenario: write one in ${SERVICE}`,
      `responses of stubs have no scenarios: write them in ${SERVICE}`,
    ),
    item(
      grouped(waivers),
      `waiver is in ${SERVICE}, beside those of the stubs`,
      `waivers are in ${SERVICE}, beside those of the stubs`,
      waivers.length,
    ),
    item(
      reasonsOf(leftOut),
      'part of the document is left out: openapi/overlay.yaml',
      'parts of the document are left out: openapi/overlay.yaml',
      leftOut.length,
    ),
  ].filter(({ lines }) => lines.length > 0);
}

/** The statuses that the server answers by itself. A handler answers 404 too. */
const OF_SERVER = new Set(
  Object.values(ERRORS)
    .map(({ status }) => status)
    .filter((status) => status !== 404),
);

/**
 * The error responses that only a handler gives, of stubs, without a scenario that expects them or a waiver. The contract
 * tests report those of the other handlers.
 */
function withoutScenario({
  described,
  stubs,
  scenarios,
  waiting,
  ownRefusals,
  waivers,
}: ServiceTarget): string[] {
  const steps = [...(scenarios ?? []), ...waiting].flatMap((scenario) => scenario.steps);
  const waived = openWaivers({ waivers }, '');
  return [...readOperations(described)]
    .filter(({ operationId }) => stubs.includes(operationId))
    .flatMap(({ operationId, responses }) =>
      [...responses].flatMap(([key, { content }]) => {
        const status = Number(key);
        if (!/^[45]\d\d$/.test(key) || OF_SERVER.has(status)) return [];
        const kinds = Object.entries(ownRefusals ?? {}).flatMap(([kind, own]) =>
          own.status === status ? [kind] : [],
        );
        const isExpected = steps.some(
          ({ operation, expect }) => operation === operationId && kinds.includes(expect),
        );
        const isWaived = ['*', ...content.map((media) => media.key)].some(
          (mediaType) =>
            waived.ofObligation(`${operationId} | response | ${key} | ${mediaType}`) !== undefined,
        );
        const [kind] = kinds;
        const missing = kind === undefined ? `, and a kind in ownRefusals` : ` (expect: '${kind}')`;
        return isExpected || isWaived
          ? []
          : [`${operationId} | response | ${key}: a scenario that ends in ${key}${missing}`];
      }),
    );
}

/** One line for each waiver, and one for all that are about one body of a request. */
function grouped(waivers: readonly Waiver[]): string[] {
  const groups = new Map<string, Waiver[]>();
  for (const waiver of waivers) {
    const what = String('obligation' in waiver ? waiver.obligation : waiver.failure);
    const [body = what] = /^[^|]+ \| body [^|]+(?= \| )/.exec(what) ?? [];
    groups.set(body, [...(groups.get(body) ?? []), waiver]);
  }
  return [...groups].map(([body, group]) => {
    const [first] = group;
    if (!first || group.length === 1) {
      const what = first && String('obligation' in first ? first.obligation : first.failure);
      return `${what ?? body}: ${first?.reason ?? ''}`;
    }
    const reasons = new Set(group.map(({ reason }) => reason));
    const more = reasons.size > 1 ? `, and ${reasons.size - 1} more` : '';
    return `${body}: ${group.length} waivers (${first.reason}${more})`;
  });
}

/** One line for each reason. */
function reasonsOf(leftOut: readonly LeftOut[]): string[] {
  const targets = new Map<string, string[]>();
  for (const { target, reason } of leftOut) targets.set(reason, [...(targets.get(reason) ?? []), target]);
  return [...targets].map(([reason, [first = '', ...more]]) =>
    more.length === 0 ? `${first} (${reason})` : `${first}, and ${more.length} more (${reason})`,
  );
}
