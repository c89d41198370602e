/** What is left to write in a service. */
import { readOperations } from 'contract-first-server/tools';
import { statusesOfServer } from '../generate/next-steps';
import { openWaivers, type Scenario, type Waiver } from 'contract-first-prover';
import { type Inspected, SERVICE, type ServiceTarget } from 'contract-first-prover/service';

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

/** A target with what its opened service says. */
export type InspectedTarget = Inspected & Pick<ServiceTarget, 'described' | 'ownRefusals' | 'waivers'>;

/**
 * @param fileOf the file with the stub of an operation
 * @param leftOut the parts of the document that the overlay removes
 */
export function itemsOf(
  target: InspectedTarget,
  fileOf: (operationId: string) => string,
  leftOut: readonly LeftOut[],
): Item[] {
  const { stubs, waiting, waivers } = target;
  const needed = ({ steps }: Scenario) => [
    ...new Set(steps.map(({ operation }) => operation).filter((id) => stubs.includes(id))),
  ];
  /** @param words of one, and of many; nothing for no line */
  const item = (lines: readonly string[], words: readonly [string, string], size = lines.length): Item[] =>
    lines.length === 0 ? [] : [{ title: `${size} ${words[size === 1 ? 0 : 1]}`, lines }];
  return [
    ...item(
      stubs.map((id) => `${id}: ${fileOf(id)}`),
      [
        'operation is a stub that responds from the document: write the handler',
        'operations are stubs that respond from the document: write the handlers',
      ],
    ),
    ...item(
      waiting.map((scenario) => `${scenario.title} (${needed(scenario).join(', ')})`),
      ['scenario waits for these handlers', 'scenarios wait for these handlers'],
    ),
    ...item(withoutScenario(target), [
      `response of a stub has no scenario: write one in ${SERVICE}`,
      `responses of stubs have no scenarios: write them in ${SERVICE}`,
    ]),
    ...item(
      grouped(waivers),
      [
        `waiver is in ${SERVICE}, besides those of the stubs`,
        `waivers are in ${SERVICE}, besides those of the stubs`,
      ],
      waivers.length,
    ),
    ...item(
      reasonsOf(leftOut),
      [
        'part of the document is left out: openapi/overlay.yaml',
        'parts of the document are left out: openapi/overlay.yaml',
      ],
      leftOut.length,
    ),
  ];
}

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
}: InspectedTarget): string[] {
  const steps = [...scenarios, ...waiting].flatMap((scenario) => scenario.steps);
  const waived = openWaivers({ waivers }, '');
  return [...readOperations(described)]
    .filter(({ operationId }) => stubs.includes(operationId))
    .flatMap((operation) =>
      [...operation.responses].flatMap(([key, { content }]) => {
        const { operationId } = operation;
        const status = Number(key);
        if (!/^[45]\d\d$/.test(key) || statusesOfServer(operation).has(key)) return [];
        const kinds = Object.entries(ownRefusals ?? {}).flatMap(([kind, own]) =>
          own.status === status ? [kind] : [],
        );
        const isExpected = steps.some(
          (step) => step.operation === operationId && kinds.includes(step.expect),
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
  const whatOf = (one: Waiver): string => String('obligation' in one ? one.obligation : one.failure);
  const bodyOf = (what: string): string => /^[^|]+ \| body [^|]+(?= \| )/.exec(what)?.[0] ?? what;
  return [...Map.groupBy(waivers, (one) => bodyOf(whatOf(one)))].flatMap(([body, group]) => {
    const [first] = group;
    if (!first) return [];
    if (group.length === 1) return [`${whatOf(first)}: ${first.reason}`];
    const others = new Set(group.map(({ reason }) => reason)).size - 1;
    return [`${body}: ${group.length} waivers (${first.reason}${others > 0 ? `, and ${others} more` : ''})`];
  });
}

/** One line for each reason. */
function reasonsOf(leftOut: readonly LeftOut[]): string[] {
  return [...Map.groupBy(leftOut, ({ reason }) => reason)].map(([reason, [first, ...more]]) => {
    const others = more.length > 0 ? `, and ${more.length} more` : '';
    return `${first?.target ?? ''}${others} (${reason})`;
  });
}
