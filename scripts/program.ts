import { fork, type ForkOptions } from 'node:child_process';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Runs a program to its end. An error ends it with its message and status 1. */
export function runProgram(name: string, main: () => Promise<void>): void {
  main().catch((error: unknown) => {
    console.error(`make ${name}: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  });
}

/** Shows on a terminal what a program is doing, in the place of what it was doing before. */
export function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line.slice(0, 100)}`);
}

/** Resolves as the work does, or fails after these milliseconds. */
export const within = <T>(milliseconds: number, work: Promise<T>, failure: string): Promise<T> =>
  Promise.race([
    work,
    sleep(milliseconds, undefined, { ref: false }).then(() => {
      throw new Error(`${failure} after ${milliseconds / 1000} s`);
    }),
  ]);

/** The same number from 0 to 1 for the same words, whatever was asked for before. */
export const randomOf = (...words: readonly (string | number)[]): number =>
  createHash('sha256').update(words.join(' ')).digest().readUInt32BE() / 2 ** 32;

/** A process that ends with this one, and sends messages. */
export type Child = ReturnType<typeof startChild>;

/**
 * @param name for the error if it ends while a message of it is awaited
 * @param signal ends it; SIGTERM if it has children that it must end
 */
export function startChild(
  name: string,
  file: string,
  args: readonly string[],
  options: ForkOptions = {},
  signal: NodeJS.Signals = 'SIGKILL',
) {
  const child = fork(file, args, options);
  const end = (): void => void child.kill(signal);
  process.once('exit', end);
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  void exit.then(() => process.off('exit', end));
  /** The next message of the process. */
  const next = <T>(): Promise<T> =>
    new Promise((resolve, reject) => {
      child.once('message', resolve as (message: unknown) => void);
      void exit.then((status) => {
        reject(new Error(`${name} has ended with status ${String(status)}`));
      });
    });
  return {
    next,
    /** Sends a message, and resolves with the next one of the process. */
    ask<T>(message: object | string | number): Promise<T> {
      child.send(message);
      return next<T>();
    },
    /** Receives every message of the process. */
    each(receive: (message: unknown) => void): void {
      child.on('message', receive);
    },
    send(message: object | string): void {
      child.send(message);
    },
    /** Resolves with its exit status, or null if a signal ended it. */
    exit,
    kill(): Promise<number | null> {
      end();
      return exit;
    },
  };
}
