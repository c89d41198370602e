import { isDeepStrictEqual } from 'node:util';
import { Validator } from '@cfworker/json-schema';
import request from 'supertest';
import { type Answer, InvalidContract, type JsonObject, strategiesFor } from 'contract-first-server';
import { OBJECTS, OpenApiDocument, operationPlaces, walk } from 'contract-first-server/tools';
import { buildService } from '../../../../../scripts/testing/service';
import { REFUSED } from '../json-schema-test-suite/differences';
import { readSuite } from '../json-schema-test-suite/suite';
import { CASES, type KeywordCase } from './cases';

interface Outcome {
  readonly ends: number | 'refused';
  /** The body in the handler, the body of the response, and the header of the cases. */
  readonly seen?: readonly unknown[];
}

/** Serves the document and sends the request. */
async function outcomeOf(document: JsonObject, exchange: KeywordCase): Promise<Outcome> {
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
  return { ends: response.status, seen };
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

const suite = readSuite().filter((group) => !REFUSED.some(({ applies }) => applies(group)));

/** Whether the JSON Schema Test Suite notices a server that does not know the keyword: a value of a schema would conform. */
function isInSuite(keyword: string): boolean {
  return suite.some(({ text, tests }) => {
    if (!text.includes(`"${keyword}"`)) return false;
    const without = JSON.parse(text, (name, value: unknown) =>
      name === keyword ? undefined : value,
    ) as object;
    return tests.some(({ valid, value }) => !valid && conforms(value, without));
  });
}

function conforms(value: unknown, schema: object): boolean {
  try {
    return new Validator(schema, '2020-12').validate(value).valid;
  } catch {
    return true; // a reference leads nowhere, which the server refuses at start
  }
}

it('has a case for each enforced keyword of the table, here or in the JSON Schema Test Suite', () => {
  const cases = new Set(CASES.map(({ keyword }) => keyword));
  const others = enforced.filter((keyword) => !cases.has(keyword));
  expect(others.filter((keyword) => !isInSuite(keyword.replace(/^Schema /, '')))).toEqual([]);
  expect([...cases].filter((keyword) => !enforced.includes(keyword))).toEqual([]);
});

/** Whether the outcome is that of the case. */
async function passes(one: KeywordCase, document: JsonObject): Promise<boolean> {
  const { ends, seen = [] } = await outcomeOf(document, one);
  return (
    ends === one.ends && (one.with === undefined || seen.some((got) => isDeepStrictEqual(got, one.with)))
  );
}

/*
 * A server of the document without the keyword is the mutant that does not enforce it, and has no other fault. The case
 * must pass on the original server and fail on the mutant, so that each enforced keyword has a caught mutant.
 * `make mutants` does the same with the keywords of whole documents, and uses the prover to catch the mutants.
 */
it.each(CASES.map((one) => [one.keyword, one] as const))(
  'enforces %s, and catches a server without it',
  async (_, one) => {
    expect(await passes(one, one.document)).toBe(true);
    expect(await passes(one, without(one.document, one.keyword))).toBe(false);
  },
);
