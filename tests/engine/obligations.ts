import { markOf } from './document/direction';
import { acceptable, type Document, type Operation, type Response } from './document/document';
import { codec } from './document/media-type';
import { object, word } from './json/json';
import { at } from './json/pointer';
import { owedOf, receivedKey } from './judge/received';
import { takesAnyQuery } from './request/deserialize';
import { slots } from './request/slots';
import { constraints } from './schema/constraints';
import type { Target } from './target';

export type State = 'PROVEN' | 'WAIVED' | 'UNPROVEN' | 'BLOCKED';

/** One thing that the document promises, and what became of its proof. */
export interface Obligation {
  readonly key: string;
  readonly operation: string;
  readonly kind: 'constraint' | 'response' | 'security' | 'protocol' | 'received';
  readonly what: string;
  /** For a constraint: what it is about, where it stands, and which side of it. */
  readonly place?: string;
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

export const INSUFFICIENT = 'insufficient scope';

/** Keywords that a parameter or form cannot break, because everything on the wire is text or absent. */
const UNSENDABLE = ['required', 'minProperties', 'minItems', 'additionalProperties', 'unevaluatedProperties'];

/** Types that some text is not. */
const TEXTLESS = ['integer', 'number', 'boolean'];

function sendable(document: Document, pointer: string, keyword: string): boolean {
  if (keyword !== 'type') return !UNSENDABLE.includes(keyword);
  return [object(at(document.json, pointer))['type']].flat().every((type) => TEXTLESS.includes(word(type)));
}

export function derive(document: Document, target: Target, operation: Operation): Obligation[] {
  const owe = (kind: Obligation['kind'], key: string, extra: Partial<Obligation> = {}): Obligation => ({
    key,
    operation: operation.id,
    kind,
    what: key.slice(operation.id.length + 3),
    passed: 0,
    failed: 0,
    state: 'UNPROVEN',
    ...extra,
  });
  const owed = [
    ...slots(document, operation).flatMap((slot) => {
      const kind = slot.body ? codec(slot.body.name) : 'text';
      if (kind === 'binary') return [];
      return constraints(document.requests, slot.schema).flatMap(({ pointer, keyword, certain }) =>
        (['holds', 'violates'] as const)
          .filter((side) => {
            // What is marked holds by its absence; that it is refused needs no more than a value without other faults.
            if (keyword === markOf(document.requests)) return side === 'violates' && kind === 'json';
            return side === 'holds' || (certain && (kind === 'json' || sendable(document, pointer, keyword)));
          })
          .map((side) =>
            owe('constraint', constraintKey(operation, slot.label, pointer, keyword, side), {
              place: slot.label,
              pointer,
              keyword,
              side,
            }),
          ),
      );
    }),
    ...(target.received ? slots(document, operation) : []).flatMap((slot) => {
      if (slot.body && codec(slot.body.name) === 'binary') return [];
      return owedOf(document, slot).map((owed) => owe('received', receivedKey(operation, slot.label, owed)));
    }),
    ...promised(operation).flatMap(({ status, content }) =>
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
      ...(takesAnyQuery(document.requests, operation) ? [] : ['unlisted query parameter']),
      ...(isHeadOwed(document, operation) ? ['HEAD of GET'] : []),
      ...(acceptable(operation).length > 0 ? ['what is accepted'] : []),
    ].map((scenario) => owe('protocol', protocolKey(operation, scenario))),
    ...bodyScenarios(operation).map((scenario) => owe('protocol', protocolKey(operation, scenario))),
  ];
  return [...new Map(owed.map((obligation) => [obligation.key, obligation])).values()];
}

/** RFC 9110 section 9.3.2: where GET is answered, HEAD is. */
const isHeadOwed = ({ operations }: Document, { method, path }: Operation): boolean =>
  method === 'GET' && !operations.some((other) => other.path === path && other.method === 'HEAD');

/** `default` is a net for what nobody foresaw, and no promise that it comes about. */
const promised = ({ responses }: Operation): Response[] =>
  responses.filter(({ status }) => status !== 'default');

/** Whether another alternative admits who has the credentials of this one without those of one of its schemes. */
export const isSpare = ({ security }: Operation, alternative: readonly string[], scheme: string): boolean =>
  security.some(
    (other) => other !== alternative && other.every((name) => name !== scheme && alternative.includes(name)),
  );

/** What must be refused of each alternative, where none admits everybody. */
function refusedScenarios(operation: Operation, { schemes }: Document): [readonly string[], string][] {
  return operation.security.flatMap((alternative, index) => {
    const inHeader = alternative.some(
      (name) => schemes[name]?.['type'] !== 'apiKey' && !isSpare(operation, alternative, name),
    );
    const needed = alternative.some((name) => !isSpare(operation, alternative, name));
    const scoped = Object.values(operation.scopes[index] ?? {}).some((scopes) => scopes.length > 0);
    const scenarios = [
      ...['missing', ...(needed ? ['wrong'] : [])],
      ...(inHeader ? ['malformed', 'doubled', 'misplaced'] : []),
      ...(scoped ? [INSUFFICIENT] : []),
    ];
    return scenarios.map((scenario): [readonly string[], string] => [alternative, scenario]);
  });
}

function bodyScenarios({ body }: Operation): string[] {
  if (!body) return [];
  const json = body.content.some(({ name }) => codec(name) === 'json');
  return [
    'unsupported media types',
    'equivalent media types',
    'body limit',
    ...(body.required ? ['absent body'] : []),
    ...(json ? ['malformed JSON', 'unusual JSON'] : []),
  ];
}
