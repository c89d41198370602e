import { excludingKeyword } from './document/direction';
import { negotiableMediaTypes, type Document, type Operation, type Response } from './document/document';
import { codecOf } from './document/media-type';
import { asString } from './json/json';
import { objectAt } from './json/pointer';
import { receivedRules, receivedKey } from './judge/received';
import { acceptsAnyQueryParameter } from './request/deserialize';
import { slots } from './request/slots';
import { constraints } from './schema/constraints';
import type { Target } from './target';

export type State = 'PROVEN' | 'WAIVED' | 'UNPROVEN' | 'BLOCKED';

/** One thing that the document promises, and what became of its proof. */
export interface Obligation {
  readonly key: string;
  readonly operation: string;
  readonly kind: 'constraint' | 'response' | 'security' | 'protocol' | 'received';
  readonly description: string;
  /** For a constraint: what it is about, where it stands, and which side of it. */
  readonly part?: string;
  readonly pointer?: string;
  readonly keyword?: string;
  readonly side?: 'holds' | 'violates';
  passed: number;
  failed: number;
  state: State;
  reason?: string;
}

export const constraintKey = (
  operation: Operation,
  slot: string,
  pointer: string,
  keyword: string,
  side: 'holds' | 'violates',
): string => `${operation.id} | ${slot} | ${pointer} ${keyword} | ${side}`;

export const responseKey = (operation: Operation, status: string, media: string): string =>
  `${operation.id} | response | ${status} | ${media}`;

export const securityKey = (operation: Operation, alternative: readonly string[], scenario: string): string =>
  `${operation.id} | security | ${alternative.join(' and ') || 'anonymous'} | ${scenario}`;

export const protocolKey = (operation: Operation, scenario: string): string =>
  `${operation.id} | protocol | ${scenario}`;

export const INSUFFICIENT_SCOPE = 'insufficient scope';

/** Keywords that a parameter or form cannot break, because everything on the wire is text or absent. */
const UNSENDABLE_KEYWORDS = [
  'required',
  'minProperties',
  'minItems',
  'additionalProperties',
  'unevaluatedProperties',
];

/** Types that some text is not. */
const NON_TEXT_TYPES = ['integer', 'number', 'boolean'];

function isSendable(document: Document, pointer: string, keyword: string): boolean {
  if (keyword !== 'type') return !UNSENDABLE_KEYWORDS.includes(keyword);
  return [objectAt(document.json, pointer)['type']]
    .flat()
    .every((type) => NON_TEXT_TYPES.includes(asString(type)));
}

export function deriveObligations(document: Document, target: Target, operation: Operation): Obligation[] {
  const owe = (kind: Obligation['kind'], key: string, extra: Partial<Obligation> = {}): Obligation => ({
    key,
    operation: operation.id,
    kind,
    description: key.slice(operation.id.length + 3),
    passed: 0,
    failed: 0,
    state: 'UNPROVEN',
    ...extra,
  });
  const owed = [
    ...slots(document, operation).flatMap((slot) => {
      const kind = slot.body ? codecOf(slot.body.name) : 'text';
      if (kind === 'binary') return [];
      return constraints(document.requests, slot.schema).flatMap(({ pointer, keyword, unconditional }) =>
        (['holds', 'violates'] as const)
          .filter((side) => {
            // What is marked holds by its absence; that it is refused needs no more than a value without other faults.
            if (keyword === excludingKeyword(document.requests))
              return side === 'violates' && kind === 'json';
            return (
              side === 'holds' ||
              (unconditional && (kind === 'json' || isSendable(document, pointer, keyword)))
            );
          })
          .map((side) =>
            owe('constraint', constraintKey(operation, slot.label, pointer, keyword, side), {
              part: slot.label,
              pointer,
              keyword,
              side: side,
            }),
          ),
      );
    }),
    ...(target.received ? slots(document, operation) : []).flatMap((slot) => {
      if (slot.body && codecOf(slot.body.name) === 'binary') return [];
      return receivedRules(document, slot).map((owed) =>
        owe('received', receivedKey(operation, slot.label, owed)),
      );
    }),
    ...documentedResponses(operation).flatMap(({ status, content }) =>
      (content.length > 0 ? content.map(({ name }) => name) : ['no body']).map((media) =>
        owe('response', responseKey(operation, status, media)),
      ),
    ),
    ...operation.security.map((alternative) =>
      owe('security', securityKey(operation, alternative, 'accepted')),
    ),
    ...(operation.security.some((alternative) => alternative.length === 0)
      ? []
      : refusedScenarios(operation, document)
    ).map(([alternative, scenario]) => owe('security', securityKey(operation, alternative, scenario))),
    ...[
      'undocumented methods',
      'near-miss paths',
      ...(acceptsAnyQueryParameter(document.requests, operation) ? [] : ['unlisted query parameter']),
      ...(expectsHead(document, operation) ? ['HEAD of GET'] : []),
      ...(negotiableMediaTypes(operation).length > 0 ? ['what is accepted'] : []),
    ].map((scenario) => owe('protocol', protocolKey(operation, scenario))),
    ...bodyScenarios(operation).map((scenario) => owe('protocol', protocolKey(operation, scenario))),
  ];
  return [...new Map(owed.map((obligation) => [obligation.key, obligation])).values()];
}

/** RFC 9110 section 9.3.2: where GET is answered, HEAD is. */
const expectsHead = ({ operations }: Document, { method, path }: Operation): boolean =>
  method === 'GET' && !operations.some((other) => other.path === path && other.method === 'HEAD');

/** `default` is a net for what nobody foresaw, and no promise that it comes about. */
const documentedResponses = ({ responses }: Operation): Response[] =>
  responses.filter(({ status }) => status !== 'default');

/** Whether another alternative admits who has the credentials of this one without those of one of its schemes. */
export const isRedundant = (
  { security }: Operation,
  alternative: readonly string[],
  scheme: string,
): boolean =>
  security.some(
    (other) => other !== alternative && other.every((name) => name !== scheme && alternative.includes(name)),
  );

/** What must be refused of each alternative, where none admits everybody. */
function refusedScenarios(operation: Operation, { schemes }: Document): [readonly string[], string][] {
  return operation.security.flatMap((alternative, index) => {
    const inHeader = alternative.some(
      (name) => schemes[name]?.['type'] !== 'apiKey' && !isRedundant(operation, alternative, name),
    );
    const needed = alternative.some((name) => !isRedundant(operation, alternative, name));
    const scoped = Object.values(operation.scopes[index] ?? {}).some((scopes) => scopes.length > 0);
    const scenarios = [
      ...['missing', ...(needed ? ['wrong'] : [])],
      ...(inHeader ? ['malformed', 'doubled', 'misplaced'] : []),
      ...(scoped ? [INSUFFICIENT_SCOPE] : []),
    ];
    return scenarios.map((scenario): [readonly string[], string] => [alternative, scenario]);
  });
}

function bodyScenarios({ body }: Operation): string[] {
  if (!body) return [];
  const json = body.content.some(({ name }) => codecOf(name) === 'json');
  return [
    'unsupported media types',
    'equivalent media types',
    'body limit',
    ...(body.required ? ['absent body'] : []),
    ...(json ? ['malformed JSON', 'unusual JSON'] : []),
  ];
}
