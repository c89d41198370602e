import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ownFolder } from '../testing/folder';
import { type Child, progress, runProgram, startChild } from '../program';
import { leave } from './leaving';
import type { Held } from './server';

/*
 * Bodies that are larger than the memory of the server may be, sent and received by curl, and clients that leave in their
 * middle. Exit 1 unless the server kept its promises. `tsx scripts/bodies/main.ts [--seconds 60]`
 */

const MEBIBYTE = 2 ** 20;
const LARGE = 500 * MEBIBYTE;
/** Bytes of memory above those of the idle server. */
const MOST = { upload: 64 * MEBIBYTE, reader: 16 * MEBIBYTE, left: 8 * MEBIBYTE };
const SEND_TIMEOUT = 4_000;
/** Descriptors beyond those of the idle server: connections that are being closed. */
const MORE = 4;

/** Runs curl. Resolves with its exit status and its output. */
const curl = (...options: readonly string[]) =>
  new Promise<{ status: number; output: string }>((resolve) => {
    const child = execFile('curl', ['-sS', ...options], { maxBuffer: LARGE }, (_, output) => {
      resolve({ status: child.exitCode ?? NaN, output });
    });
  });

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest('hex');
}

const mebibytes = (bytes: number) => Math.round(bytes / MEBIBYTE);

/** What a check has found, and whether it is right. */
type Found = readonly [sentence: string, kept: boolean];

class Bodies {
  readonly found: Found[] = [];
  /** Bytes of memory at most, seen in the current step. */
  private peak = 0;

  constructor(
    private readonly server: Child,
    private readonly url: string,
    private readonly folder: string,
    private readonly idle: Held,
  ) {}

  private check(sentence: string, kept: boolean): void {
    this.found.push([sentence, kept]);
  }

  /** Takes a step, and checks the memory that the server needed for it. */
  private async within(name: string, most: number, step: () => Promise<void>): Promise<void> {
    progress(name);
    await this.server.ask<Held>('held');
    this.peak = 0;
    await step();
    const { peak } = await this.server.ask<Held>('held');
    const above = Math.max(this.peak, peak) - this.idle.memory;
    this.check(`${name}: ${mebibytes(above)} MiB above idle, at most ${mebibytes(most)}`, above <= most);
  }

  /** Waits until no request is under way, some 20 s at most. */
  private async isOver(): Promise<void> {
    for (let i = 0; i < 40; i++) {
      const { unfinished, files, peak } = await this.server.ask<Held>('held');
      this.peak = Math.max(this.peak, peak);
      if (unfinished + files === 0) return;
      await sleep(500);
    }
  }

  private async upload(...options: readonly string[]): Promise<void> {
    const { status, output } = await curl(...options);
    this.check(`curl ${options[0] ?? ''}: ${output || `status ${status}`}`, output === String(LARGE));
  }

  async see(large: string, file: string): Promise<void> {
    const { url } = this;
    const form = ['-F', `file=@${large}`, `${url}/form`];
    await this.within('a form of 500 MB', MOST.upload, () => this.upload(...form));
    await this.within('500 MB of bytes', MOST.upload, () =>
      this.upload('-T', large, '-H', 'Content-Type: application/octet-stream', `${url}/bytes`),
    );
    await this.within('events while another uploads', MOST.upload, async () => {
      const events = curl('-N', '--max-time', '3', `${url}/events`);
      await this.upload(...form);
      const count = (await events).output.split('data: ').length - 1;
      this.check(`curl -N: ${count} events in 3 s, at least 50`, count >= 50);
    });
    await this.within('a download that is resumed', MOST.upload, async () => {
      const part = join(this.folder, 'part');
      await curl('-r', '0-9999999', '-o', part, `${url}/bytes`);
      const { output } = await curl(
        '-C',
        '-',
        '-o',
        part,
        '-w',
        '%{http_code} %{size_download}',
        `${url}/bytes`,
      );
      const isSame = (await hashOf(part)) === (await hashOf(file));
      this.check(`curl -C -: ${output}, the same file: ${isSame}`, isSame && output.startsWith('206 '));
    });
    await this.within('a reader of a byte a second', MOST.reader, async () => {
      const begin = performance.now();
      const reader = curl('--limit-rate', '1', '--max-time', '20', '-o', '/dev/null', `${url}/gibibyte`);
      await sleep(SEND_TIMEOUT / 2);
      await this.isOver();
      const seconds = Math.round((performance.now() - begin) / 100) / 10;
      this.check(
        `curl --limit-rate 1: given up after ${seconds} s`,
        seconds > SEND_TIMEOUT / 1_000 && seconds < 18,
      );
      await reader; // which does not notice before it reads
    });
  }

  async leave(seconds: number): Promise<void> {
    progress(`clients leave for ${seconds} s`);
    const counts = await leave(Number(new URL(this.url).port), seconds);
    for (const [name, count] of counts)
      this.check(`${count} clients have left in the middle of ${name}`, count > 0);
    await this.isOver();
    const held = await this.server.ask<Held>('held');
    const { unfinished, files, descriptors, memory, live } = held;
    this.check(`${unfinished} requests have not ended`, unfinished === 0);
    this.check(`${files} files of uploads are left`, files === 0);
    const before = this.idle.descriptors + MORE;
    this.check(`${descriptors} descriptors are open, at most ${before}`, descriptors <= before);
    const left = live - this.idle.live;
    this.check(
      `${mebibytes(left)} MiB of objects above idle are left, at most ${mebibytes(MOST.left)}` +
        ` (${mebibytes(memory - this.idle.memory)} MiB above idle are resident)`,
      left <= MOST.left,
    );
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } });
  const seconds = Number(values.seconds);
  if (!(seconds >= 1 && seconds <= 3600))
    throw new Error(`expected --seconds from 1 to 3600, got ${values.seconds}`);
  const folder = ownFolder();
  const [large, file] = [join(folder, 'large'), join(folder, 'file')];
  writeFileSync(large, '');
  truncateSync(large, LARGE); // sparse
  writeFileSync(file, Buffer.from(Uint32Array.from({ length: 5_000_000 }, (_, i) => i).buffer));
  const args = [join(folder, 'uploads'), file, String(SEND_TIMEOUT)];
  const execArgv = [...process.execArgv, '--expose-gc'];
  const server = startChild('server.ts', join(__dirname, './server.ts'), args, { execArgv });
  const { url } = await server.next<{ url: string }>();
  await curl(`${url}/bytes`, '-o', '/dev/null');
  const bodies = new Bodies(server, url, folder, await server.ask<Held>('held'));
  await bodies.see(large, file);
  await bodies.leave(seconds);
  await server.kill();
  progress('');
  for (const [sentence, kept] of bodies.found) console.log(`${kept ? 'ok    ' : 'FAILED'}  ${sentence}`);
  if (!bodies.found.every(([, kept]) => kept)) process.exitCode = 1;
}

runProgram('bodies', main);
