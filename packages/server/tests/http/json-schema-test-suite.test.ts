import { Agent, request } from 'node:http';
import { createHttpServer, InvalidContract } from 'contract-first-server';
import { openServer } from 'contract-first-prover/service';
import { cases } from '../../../../scripts/testing/cases';
import { renderPlain } from '../../../../scripts/testing/plain-errors';
import { buildService, json } from '../../../../scripts/testing/service';
import { isCut, JUDGED, REFUSED } from './json-schema-test-suite/differences';
import { readSuite, type SuiteGroup, type SuiteTest } from './json-schema-test-suite/suite';

// Each schema of the suite is the request body of one operation and the response of another. differences.ts has the rules by
// which the server differs from the suite, with their reasons.

const TIMEOUTS = { headersTimeout: 60_000, requestTimeout: 60_000, keepAliveTimeout: 60_000 };
/** The maximum number of concurrent requests. */
const WORKERS = 16;

type Groups = ReadonlyMap<number, SuiteGroup>;

function documentOf(groups: Groups) {
  const content = (i: number) => json({ $ref: `#/components/schemas/s${i}` });
  const test = { name: 'test', in: 'query', required: true, schema: { type: 'integer' } };
  const paths = [...groups.keys()].map((i) => [
    `/${i}`,
    {
      post: {
        operationId: `take${i}`,
        // Optional, like the body of the response: an operation that nothing can conform to is rejected at start.
        requestBody: { content: content(i) },
        responses: { 204: { description: 'taken' } },
      },
      get: {
        operationId: `give${i}`,
        parameters: [test],
        responses: { 200: { description: 'given', content: content(i) }, 204: { description: 'not given' } },
      },
    },
  ]);
  const schemas = [...groups].map(([i, group]) => [`s${i}`, group.schemaAt(`/components/schemas/s${i}`)]);
  return {
    openapi: '3.1.0',
    info: { title: 'JSON Schema Test Suite', version: '1' },
    paths: Object.fromEntries(paths) as object,
    components: { schemas: Object.fromEntries(schemas) as object },
  };
}

function handlersOf(groups: Groups) {
  const handlers = [...groups].flatMap(([i, { tests }]) => [
    [`take${i}`, () => Promise.resolve({ status: 204 })],
    [
      `give${i}`,
      ({ query }: { query: { test: number } }) =>
        Promise.resolve({ status: 200, body: tests[query.test]?.value }),
    ],
  ]);
  return Object.fromEntries(handlers) as Record<string, (request: never) => Promise<{ status: number }>>;
}

/** Serves the schemas that are not refused at start. */
function serve(all: Groups) {
  const groups = new Map(all);
  while (groups.size > 0) {
    try {
      const { app } = buildService({ document: documentOf(groups), handlers: handlersOf(groups) });
      return { app, groups };
    } catch (error) {
      if (!(error instanceof InvalidContract)) throw error;
      for (const { pointer, message } of error.findings) {
        const i = /^\/(?:components\/schemas\/s|paths\/~1)(\d+)/.exec(pointer)?.[1];
        if (i === undefined) throw new Error(`expected a finding in a schema, got ${pointer}: ${message}`);
        groups.delete(Number(i));
      }
    }
  }
  return { groups };
}

function send(options: object, body?: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('end', () => {
        resolve({ status: response.statusCode ?? 0, text });
      });
    });
    sent.once('error', reject).end(body);
  });
}

/** What a run has shown. */
interface Found {
  /** One line for each difference from what is expected. */
  readonly wrong: string[];
  /** The rules of differences that applied. */
  readonly used: Set<string>;
  /** The responses that were cut to what their schema lists, by file. */
  readonly cut: Record<string, number>;
}

/** Whether a value is to be accepted. */
function isExpected(test: SuiteTest, { used }: Found): boolean {
  const rule = JUDGED.find(({ applies }) => applies(test));
  if (rule && rule.accepted !== test.valid) used.add(rule.reason);
  return rule?.accepted ?? test.valid;
}

async function compare(all: Groups, found: Found): Promise<void> {
  const { app, groups } = serve(all);
  for (const [i, group] of all) {
    const rule = REFUSED.find(({ applies }) => applies(group));
    if (rule) found.used.add(rule.reason);
    if ((rule !== undefined) === groups.has(i))
      found.wrong.push(`start: ${group.tests[0]?.names.join(' | ') ?? ''}`);
  }
  if (!app) return;
  const { port, close } = await openServer(createHttpServer(app, renderPlain, TIMEOUTS));
  const agent = new Agent({ keepAlive: true });
  const to = (path: string) => ({ host: '127.0.0.1', port, agent, path });

  const left = [...groups].flatMap(([i, group]) => group.tests.map((test, j) => ({ group, test, i, j })));
  const work = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const { group, test, i, j } = next;
      const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(test.text) };
      const expected = isExpected(test, found);
      const taken = await send({ ...to(`/${i}`), method: 'POST', headers }, test.text);
      if (taken.status !== (expected ? 204 : 400)) found.wrong.push(`request: ${test.names.join(' | ')}`);
      const given = await send(to(`/${i}?test=${j}`));
      const [file] = test.names;
      if (given.status === 200 && !expected && isCut(group, test, given.text))
        found.cut[file] = (found.cut[file] ?? 0) + 1;
      else if (given.status !== (expected ? 200 : 500))
        found.wrong.push(`response: ${test.names.join(' | ')}`);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  agent.destroy();
  await close();
}

/**
 * Of the groups, every fourth, the first of each file, and those to which a rule of differences.ts applies: some rules have one
 * group alone. The twin of this suite has all.
 */
const SUITE = readSuite().filter((group, i, all) => {
  const rules = [
    ...REFUSED.map(({ applies }) => applies(group)),
    ...JUDGED.map(({ applies }) => group.tests.some(applies)),
  ];
  const isFirst = all[i - 1]?.tests[0]?.names[0] !== group.tests[0]?.names[0];
  return i % cases(4, 1) === 0 || isFirst || rules.includes(true);
});
const TESTS = SUITE.flatMap(({ tests }) => tests);
const AGREED = SUITE.filter((group) => !REFUSED.some(({ applies }) => applies(group)))
  .flatMap(({ tests }) => tests)
  .filter((test) => (JUDGED.find(({ applies }) => applies(test))?.accepted ?? test.valid) === test.valid);

it(`agrees with ${AGREED.length} of ${TESTS.length} tests in both directions, and with differences.ts on the others`, async () => {
  const entries = SUITE.map((group, i) => [i, group] as const);
  // One document for all schemas, except for those with anchors, whose names apply to the whole document.
  const parts = [
    new Map(entries.filter(([, { anchored }]) => !anchored)),
    ...entries.filter(([, { anchored }]) => anchored).map((entry) => new Map([entry])),
  ];
  const found: Found = { wrong: [], used: new Set(), cut: {} };
  for (const part of parts) await compare(part, found);
  expect(found.wrong.sort()).toEqual([]);
  expect([...found.used].sort()).toEqual([...REFUSED, ...JUDGED].map(({ reason }) => reason).sort());
  expect(found.cut).toEqual({ additionalProperties: 2, ref: 2, unevaluatedProperties: cases(8, 22) });
}, 120_000);
