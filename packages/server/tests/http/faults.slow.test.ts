import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Row } from './faults';
import { SOURCES } from '../../../../scripts/testing/sources';

jest.setTimeout(600_000);

const ROOT = join(__dirname, '../../../..');

/** The number of each outcome of each fault, by the failed call. */
function tableOf(rows: readonly Row[]): string {
  const counts = new Map<string, number>();
  for (const { site, fault, outcome } of rows) {
    const line = `${site.split(' ')[0] ?? ''} | ${fault.split(' ')[0] ?? ''} | ${outcome}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  const lines = [...counts].map(([line, count]) => `| ${line} | ${count} |`);
  return ['| call | fault | outcome | times |', '|---|---|---|---|', ...lines.sort(), ''].join('\n');
}

/** Most of the time passes in waiting for deadlines, so that several processes share it. */
const PARTS = 3;

async function inject(part: number): Promise<Row[]> {
  const program = [join(__dirname, './faults.ts'), String(part), String(PARTS)];
  const child = spawn(process.execPath, [...SOURCES, ...program], { cwd: ROOT });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(errors).toBe('');
  return JSON.parse(output) as Row[];
}

test('a fault at any call out of the pipeline produces an error body and no other effect', async () => {
  const rows = (await Promise.all(Array.from({ length: PARTS }, (_, part) => inject(part)))).flat();
  mkdirSync(join(ROOT, 'reports'), { recursive: true });
  writeFileSync(join(ROOT, 'reports/faults.md'), tableOf(rows));
  const sites = new Set(rows.map(({ site }) => site.split(' ')[0]));
  const expected =
    'toProblem render requestIdOf report reportFault stderr strategy handler answer.body body.name ' +
    'afterAuthentication headers.X-Policy beforeHandler loggerFor afterResponse encode next';
  const ofNode =
    'request.on request.resume response.writeHead response.flushHeaders response.write response.end response.writeContinue';
  expect([...sites]).toEqual(expect.arrayContaining([...expected.split(' '), ...ofNode.split(' ')]));
  expect(rows.length).toBeGreaterThan(1_000);
  expect(rows.filter(({ wrong }) => wrong.length > 0)).toEqual([]);
});
