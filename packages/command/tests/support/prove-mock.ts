import { createServer } from 'node:http';
import express from 'express';
import { type JsonObject, listen } from 'contract-first-server';
import { type Json, type JsonObject as EngineDocument, run, urlTarget } from 'contract-first-prover';
import { createMock } from '../../src/mock/service';

/**
 * Runs the prover against the mock of a document.
 *
 * @param generated the generated cases of each value
 */
export async function proveMock(document: JsonObject, generated: number) {
  const mock = createMock(document, {
    tokens: ['secret'],
    bodyLimit: 102_400,
    maxRequests: 100,
    report: () => undefined,
    extensions: {},
  });
  const server = createServer(express().use(mock.service));
  const url = await listen(server, '127.0.0.1', 0);
  try {
    const target = urlTarget({
      url,
      document: structuredClone(document) as EngineDocument,
      credentials: JSON.parse(mock.credentials) as Json,
      write: 'all',
      requestsPerSecond: 100_000,
    });
    return { mock, ...(await run(target, { generated, shrink: false })) };
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
