import { setTimeout as sleep } from 'node:timers/promises';
import { explain, type Faults, passes } from './failure';
import type { Migrating } from './schema';
import { type StoreObserver, UnusableDatabase } from './store';

/** Milliseconds between two attempts, at first and at most. */
const [FIRST_PAUSE, MAX_PAUSE] = [100, 1000];
/** Milliseconds between two messages that say the same. */
const NEWS_INTERVAL = 10_000;

/** What an attempt to open a database tells, and may take. */
export interface Opening {
  readonly migrating: Migrating;
  /** As that of `StoreObserver`. What has been told already is not told again. */
  readonly warned: (message: string) => void;
  /** Milliseconds for which it may wait in a place where it is in nobody's way. */
  readonly timeout: number;
}

interface Start {
  /** Begins each message. */
  readonly subject: string;
  readonly faults: Faults;
  /** Milliseconds to wait, from the beginning or from the last migration or batch on that was committed. */
  readonly timeout: number;
  readonly observer: StoreObserver | undefined;
}

/**
 * Opens a database: again and again while it is away, or somebody has locked what is needed. The observer is told at once what
 * the start waits for, and from time to time that it still does, or which migration runs.
 *
 * @throws {UnusableDatabase} with a sentence that says why and what to do
 */
export async function persist<T>(
  open: (opening: Opening) => Promise<T>,
  { subject, faults, timeout, observer }: Start,
): Promise<T> {
  let moved = performance.now();
  let running = { what: '', since: 0 };
  const migrating: Migrating = (number, name, state) => {
    if (state === 'begun') running = { what: `migration ${number}, ${name},`, since: performance.now() };
    else moved = performance.now();
    if (state === 'done') observer?.migrated?.(name, number);
  };
  const news = setInterval(() => {
    const seconds = Math.round((performance.now() - running.since) / 1000);
    if (running.what !== '')
      observer?.warned?.(`${subject}: ${running.what} has been running for ${seconds} s`);
  }, NEWS_INTERVAL);
  const warnings = new Set<string>();
  const warned = (message: string) => {
    if (!warnings.has(message)) observer?.warned?.(`${subject}: ${message}`);
    warnings.add(message);
  };
  let told = { reason: '', at: 0 };
  try {
    for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, MAX_PAUSE)) {
      try {
        return await open({ migrating, warned, timeout });
      } catch (error) {
        const reason = explain(subject, error, faults.advice);
        const now = performance.now();
        const left = timeout - (now - moved);
        if (!passes(faults, error) || timeout === 0) throw new UnusableDatabase(reason, { cause: error });
        if (left <= 0)
          throw new UnusableDatabase(`${reason}; waited ${timeout} ms (DATABASE_START_TIMEOUT)`, {
            cause: error,
          });
        if (reason !== told.reason || now - told.at >= NEWS_INTERVAL) {
          told = { reason, at: now };
          observer?.warned?.(`${reason}; trying again for up to ${Math.ceil(left / 1000)} s`);
        }
        running = { what: '', since: 0 };
        await sleep(Math.min(left, pause * (0.5 + Math.random() / 2)));
      }
    }
  } finally {
    clearInterval(news);
  }
}
