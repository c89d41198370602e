import { createServer } from 'node:http';
import { join } from 'node:path';
import express from 'express';
import { createMock } from '../../scripts/mock/service';
import { readSource } from '../../scripts/source/source';
import { listen } from '../../src/contract';
import type { Json, JsonObject } from '../engine/json/json';
import { describeFailure } from '../engine/report/text';
import { run } from '../engine/run';
import { urlTarget } from '../engine/url-target';

/** Documents that others wrote, of an npm package. `make documents` has more. */
const DOCUMENTS: readonly [name: string, served: number, total: number][] = [
  ['3.1/json/petstore.json', 20, 20], // OAuth2 and keys, forms, XML beside JSON, operations without a success
  ['3.1/json/security.json', 14, 15], // every kind of scheme
  ['3.0/json/security-multiple.json', 2, 4], // schemes by and, or
  ['3.1/json/parameters-style.json', 17, 25], // every style, open objects in a query
  ['3.0/json/schema-validation.json', 4, 5], // every format, a pattern that is none
  ['3.0/json/response-multiple-mediatypes.json', 4, 4],
  ['3.0/json/circular-paths.json', 2, 3], // a left-out operation of a served path
  ['3.0/json/form-data.json', 1, 1],
  ['3.0/json/parameters-cookies.json', 1, 1],
  ['3.1/json/train-travel.json', 7, 7], // webhooks, media types that are not served
];

it.each(DOCUMENTS)(
  'mock and engine agree on %s, of which at least %i of %i operations are served',
  async (name, served, total) => {
    const { document } = readSource(join(__dirname, '../../node_modules/@readme/oas-examples', name));
    const mock = createMock(document, {
      tokens: ['secret'],
      bodyLimit: 102_400,
      maxRequests: 100,
      report: () => undefined,
      extensions: {},
    });
    expect(mock.total).toBe(total);
    expect(mock.operations.length).toBeGreaterThanOrEqual(served);
    const server = createServer(express().use(mock.service));
    const url = await listen(server, '127.0.0.1', 0);
    try {
      const target = urlTarget({
        url,
        document: structuredClone(document) as JsonObject,
        credentials: JSON.parse(mock.credentials) as Json,
        write: 'all',
        requestsPerSecond: 100_000,
      });
      const { failures, obligations } = await run(target, { generated: 5, shrink: false });
      expect(failures.map(describeFailure)).toEqual([]);
      expect(obligations.filter(({ state }) => state === 'PROVEN').length).toBeGreaterThan(0);
      const open = obligations.filter(({ state }) => state === 'BLOCKED' || state === 'UNPROVEN');
      expect(open.filter(({ reason }) => reason === undefined || reason === '')).toEqual([]);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  },
);
