import { fork, type ForkOptions } from 'node:child_process';

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

/** A process that ends with this one, and sends messages. */
export type Child = ReturnType<typeof startChild>;

/** @param name for the error if it ends while a message of it is awaited */
export function startChild(name: string, file: string, args: readonly string[], options: ForkOptions = {}) {
  const child = fork(file, args, options);
  const end = (): void => void child.kill('SIGKILL');
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
    ask<T>(message: object | string): Promise<T> {
      child.send(message);
      return next<T>();
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
