import type * as fs from 'node:fs';
import { watchFolder } from '../../src/dev/watch';
import { useFolder } from '../../../../scripts/testing/folder';

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

const folder = useFolder();

test('ignores a folder that disappears before it is read, and watches the others', async () => {
  folder.write({ 'gone/a': '', 'stays/a': '' });
  const changed = new Promise<void>((resolve) => {
    watchFolder(folder.path(''), resolve);
  });
  folder.write({ 'stays/b': '' });
  await changed;
});
