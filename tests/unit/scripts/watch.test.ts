import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchFolder } from '../../../scripts/dev/watch';

jest.mock('node:fs', () => {
  const real = jest.requireActual<typeof fs>('node:fs');
  /** Removes the folder just before the code reads or watches it. */
  const without = (name: unknown) => {
    if (String(name).includes('gone')) real.rmSync(String(name), { recursive: true, force: true });
  };
  return {
    ...real,
    readdirSync: (...args: Parameters<typeof real.readdirSync>) => {
      without(args[0]);
      return real.readdirSync(...args);
    },
    watch: (name: string, listener: () => void) => {
      without(name);
      return real.watch(name, { persistent: false }, listener);
    },
  };
});

test('ignores a folder that disappears before it is read, and watches the others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  for (const name of ['gone', 'stays']) mkdirSync(join(folder, name));
  const changed = new Promise<void>((resolve) => {
    watchFolder(folder, resolve);
  });
  writeFileSync(join(folder, 'stays', 'a'), '');
  await changed;
  rmSync(folder, { recursive: true });
});
