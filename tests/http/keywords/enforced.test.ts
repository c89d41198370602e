import { isDeepStrictEqual } from 'node:util';
import request from 'supertest';
import {
  type Answer,
  InvalidContract,
  type JsonObject,
  OBJECTS,
  OpenApiDocument,
  operationPlaces,
  type Problem,
  strategiesFor,
  walk,
} from '../../../src/contract';
import type { KindOf } from '../../../src/runtime';
import { buildService } from '../../support/service';
import { CASES, type WordCase } from './cases';

interface Outcome {
  readonly ends: number | 'refused';
  /** The body in the handler, the body of the response, and the header of the cases. */
  readonly seen?: readonly unknown[];
  readonly problem?: Problem<KindOf<never>> | undefined;
}

/** Serves the document and sends the request. */
async function outcomeOf(document: JsonObject, exchange: WordCase): Promise<Outcome> {
  const { method = 'post', path = '/things', headers = {}, body, type = 'application/json' } = exchange;
  const { answer = { status: 204, body: undefined } } = exchange;
  let received: unknown;
  const handler = (given: { readonly body?: unknown }): Promise<Answer> => {
    received = given.body;
    return Promise.resolve(answer);
  };
  const ids = operationPlaces(new OpenApiDocument(document)).map(({ pointer }) => pointer);
  const read = new OpenApiDocument(document);
  const handlers = ids.flatMap((pointer) => {
    const id = (read.at(pointer) as JsonObject)['operationId'];
    return typeof id === 'string' ? [[id, handler] as const] : [];
  });
  let service: ReturnType<typeof buildService>;
  try {
    service = buildService({
      document,
      handlers: Object.fromEntries(handlers),
      strategies: strategiesFor(read, (secret) => secret === 'good' && {}),
    });
  } catch (error) {
    if (error instanceof InvalidContract) return { ends: 'refused' };
    throw error;
  }
  const sent = request(service.app)[method as 'post'](path).set(headers);
  const response = await (body === undefined ? sent : sent.set('Content-Type', type).send(body));
  const seen: unknown[] = [received, response.body, response.headers['x-a']];
  return { ends: response.status, seen, problem: service.outcomes[0]?.problem };
}

/** The document without the first occurrence of the keyword; `*` is any name of a map. */
function without(given: JsonObject, keyword: string): JsonObject {
  const document = structuredClone(given);
  const [kind, name = ''] = keyword.split(' ');
  const found: string[] = [];
  walk({ pointer: '', value: document, expected: 'OpenAPI', documented: false }, (walked) => {
    const [key] = name === '*' ? Object.keys(walked.value) : [name];
    if (found.length > 0 || walked.kind !== kind || key === undefined || !(key in walked.value)) return;
    Reflect.deleteProperty(walked.value, key);
    found.push(walked.pointer);
  });
  if (found.length === 0) throw new Error(`the document has no ${keyword}`);
  return document;
}

const enforced = [...OBJECTS.values()].flatMap(({ name: kind, keywords, others }) =>
  [...keywords, ...(others ? [['*', others.keyword] as const] : [])].flatMap(([name, { support }]) =>
    support === 'enforced' ? [`${kind} ${name}`] : [],
  ),
);

const schemaKeywords = OBJECTS.get('Schema')?.keywords ?? new Map<string, unknown>();

it.each(
  CASES.filter(({ keyword, ends }) => keyword.startsWith('Schema ') && ends === 400).map(
    (one) => [one.keyword, one] as const,
  ),
)('a problem names the keywords that the request violates: %s', async (_, one) => {
  const { problem } = await outcomeOf(one.document, one);
  const keywords = problem?.violations.map(({ keyword }) => keyword) ?? [];
  expect(keywords.length).toBeGreaterThan(0);
  expect(keywords.filter((keyword) => !schemaKeywords.has(keyword))).toEqual([]);
});

it('has a case for each enforced keyword of the table', () => {
  const cases = new Set(CASES.map(({ keyword }) => keyword));
  expect(enforced.filter((keyword) => !cases.has(keyword))).toEqual([]);
  expect([...cases].filter((keyword) => !enforced.includes(keyword))).toEqual([]);
});

/** Whether the outcome is that of the case. */
async function passes(one: WordCase, document: JsonObject): Promise<boolean> {
  const { ends, seen = [] } = await outcomeOf(document, one);
  return (
    ends === one.ends && (one.with === undefined || seen.some((got) => isDeepStrictEqual(got, one.with)))
  );
}

/*
 * A server of the document without the keyword is the mutant that does not enforce it, and has no other fault. The case
 * must pass on the original server and fail on the mutant, so that each enforced keyword has a caught mutant.
 * `make mutants` does the same with the keywords of whole documents, and uses the engine to catch the mutants.
 */
it.each(CASES.map((one) => [one.keyword, one] as const))(
  'enforces %s, and catches a server without it',
  async (_, one) => {
    expect(await passes(one, one.document)).toBe(true);
    expect(await passes(one, without(one.document, one.keyword))).toBe(false);
  },
);
