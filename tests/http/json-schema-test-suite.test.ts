import { Agent, request } from 'node:http';
import { createHttpServer, InvalidContract } from '../../src/contract';
import { openServer } from '../../scripts/prove';
import { renderPlain } from '../support/plain-errors';
import { buildService, json } from '../support/service';
import { DISAGREEMENTS, type Where } from './json-schema-test-suite/disagreements';
import { readSuite, type SuiteGroup } from './json-schema-test-suite/suite';

// Each schema of the suite is the request body of one operation and the response of another. disagreements.ts lists the
// differences from the suite, with their reasons.

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
        requestBody: { required: true, content: content(i) },
        responses: { 204: { description: 'taken' } },
      },
      get: {
        operationId: `give${i}`,
        parameters: [test],
        responses: { 200: { description: 'given', content: content(i) } },
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

/** Serves the supported schemas. Also returns the refused ones. */
function serve(all: Groups) {
  const groups = new Map(all);
  const refused = () => [...all].filter(([i]) => !groups.has(i)).map(([, group]) => group);
  while (groups.size > 0) {
    try {
      const { app } = buildService({ document: documentOf(groups), handlers: handlersOf(groups) });
      return { app, groups, refused: refused() };
    } catch (error) {
      if (!(error instanceof InvalidContract)) throw error;
      for (const { pointer, message } of error.findings) {
        const i = /^\/(?:components\/schemas\/s|paths\/~1)(\d+)/.exec(pointer)?.[1];
        if (i === undefined) throw new Error(`expected a finding in a schema, got ${pointer}: ${message}`);
        groups.delete(Number(i));
      }
    }
  }
  return { groups, refused: refused() };
}

function statusOf(options: object, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      response.resume().once('end', () => {
        resolve(response.statusCode ?? 0);
      });
    });
    sent.once('error', reject).end(body);
  });
}

/** One line for each difference from the suite. */
async function disagreements(all: Groups): Promise<string[]> {
  const { app, groups, refused } = serve(all);
  const found = refused.map(({ tests }) => line('start', tests[0]?.names.slice(0, 2) ?? []));
  if (!app) return found;
  const { port, close } = await openServer(createHttpServer(app, renderPlain, TIMEOUTS));
  const agent = new Agent({ keepAlive: true });
  const to = (path: string) => ({ host: '127.0.0.1', port, agent, path });

  const left = [...groups].flatMap(([i, { tests }]) => tests.map((test, j) => ({ ...test, i, j })));
  const work = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const { i, j, names, valid, text } = next;
      const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
      const taken = await statusOf({ ...to(`/${i}`), method: 'POST', headers }, text);
      if (taken !== (valid ? 204 : 400)) found.push(line('request', names));
      const given = await statusOf(to(`/${i}?test=${j}`));
      if (given !== (valid ? 200 : 500)) found.push(line('response', names));
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  agent.destroy();
  await close();
  return found;
}

const line = (where: Where, names: readonly string[]) => [where, ...names].join(' | ');

it('agrees with the JSON Schema Test Suite in both directions, except for the listed differences', async () => {
  const entries = readSuite().map((group, i) => [i, group] as const);
  // One document for all schemas, except for those with anchors, whose names apply to the whole document.
  const parts = [
    new Map(entries.filter(([, { anchored }]) => !anchored)),
    ...entries.filter(([, { anchored }]) => anchored).map((entry) => new Map([entry])),
  ];
  const found: string[] = [];
  for (const part of parts) found.push(...(await disagreements(part)));
  const listed = DISAGREEMENTS.flatMap(({ where, tests }) =>
    Object.entries(tests).flatMap(([file, groups]) =>
      Object.entries(groups).flatMap(([group, names]) =>
        where.flatMap((one) =>
          one === 'start' ? [line(one, [file, group])] : names.map((name) => line(one, [file, group, name])),
        ),
      ),
    ),
  );
  expect({
    notListed: found.filter((one) => !listed.includes(one)).sort(),
    noLongerSo: listed.filter((one) => !found.includes(one)).sort(),
  }).toEqual({ notListed: [], noLongerSo: [] });
}, 120_000);
