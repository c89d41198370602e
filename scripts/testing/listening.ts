import type express from 'express';
import { type Answer, createHttpServer, type Problem } from 'contract-first-server';
import { openServer } from 'contract-first-prover/service';
import { errors } from '../../src/errors';

const LIMITS = { headersTimeout: 60_000, requestTimeout: 60_000, keepAliveTimeout: 60_000 };

/** Listens on a free port until the callback has ended. */
export async function listening<T>(
  app: express.Express,
  use: (port: number) => Promise<T>,
  limits: Partial<typeof LIMITS> = {},
  render: (problem: Problem) => Answer = errors.render,
): Promise<T> {
  const { port, close } = await openServer(createHttpServer(app, render, { ...LIMITS, ...limits }));
  try {
    return await use(port);
  } finally {
    await close();
  }
}
