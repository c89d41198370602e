import { mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Uploads } from '../../../src/contract/http/uploads';
import { openPlantStore } from '../../../../../src/storage/plants';
import { useFolder } from '../../../../../scripts/testing/folder';
import { buildPlant } from '../../../../../scripts/testing/plants';
import { closed } from '../../../../../scripts/testing/sqlite-bench';

// Whatever a service writes belongs to its user alone, also where the umask keeps nothing from anybody.

const folder = useFolder();
let umask: number;
beforeEach(() => {
  umask = process.umask(0);
});
afterEach(() => {
  process.umask(umask);
});

/** Everything below the folder of the test with a mode that others can use. */
const open = () =>
  readdirSync(folder.path(''), { recursive: true })
    .map(String)
    .map((name) => [name, statSync(folder.path(name))] as const)
    .filter(([, stats]) => (stats.mode & 0o777) !== (stats.isDirectory() ? 0o700 : 0o600))
    .map(([name, stats]) => `${name} ${(stats.mode & 0o777).toString(8)}`);

test('a database, its log, its backups and what a restore replaces are for its user alone', async () => {
  const url = `sqlite:${folder.path('data/deep/plants.db')}`;
  const store = await openPlantStore(url);
  await store.create(buildPlant({ id: 1n }));
  expect(readdirSync(folder.path('data/deep')).sort()).toEqual([
    'plants.db',
    'plants.db-shm',
    'plants.db-wal',
  ]);
  expect(open()).toEqual([]);
  const files = () => closed((observer) => openPlantStore(url, observer));
  await store.close();
  await (await files()).backup(folder.path('backups/deep/a.db'));
  await (await files()).restore(folder.path('backups/deep/a.db'));
  writeFileSync(folder.path('data/deep/plants.db'), 'damaged', { mode: 0o600 });
  await (await files()).restore(folder.path('backups/deep/a.db'));
  const other = await closed((observer) =>
    openPlantStore(`sqlite:${folder.path('other/plants.db')}`, observer),
  );
  await other.restore(folder.path('backups/deep/a.db'));
  expect(readdirSync(folder.path('other'))).toEqual(['plants.db']);
  expect(open()).toEqual([]);
});

test('a backup of a database that anybody may read is for its user, and its group, alone', async () => {
  const url = `sqlite:${folder.path('plants.db')}`;
  writeFileSync(folder.path('plants.db'), '', { mode: 0o666 });
  await (await openPlantStore(url)).close();
  const files = await closed((observer) => openPlantStore(url, observer));
  await files.backup(folder.path('a.db'));
  expect(statSync(folder.path('a.db')).mode & 0o777).toBe(0o660);
});

test('uploads lie in a new folder each time, for their user alone, which nobody can make before', async () => {
  const uploads = new Uploads({ folder: folder.path('shared/uploads'), quota: 10 }, 10);
  const first = await uploads.open();
  expect(open()).toEqual([]);
  await first.handle.close();
  await uploads.remove(first.path);
  const [stranger] = readdirSync(folder.path('shared/uploads'));
  expect(stranger).toBeUndefined();
  // Somebody else takes the name that is known by now.
  mkdirSync(join(first.path, '..'));
  const second = await uploads.open();
  expect(join(second.path, '..')).not.toBe(join(first.path, '..'));
  await second.handle.close();
  await uploads.remove(second.path);
  expect(readdirSync(folder.path('shared/uploads'))).toHaveLength(1);
});

test('the end of the process removes the files of uploads that are under way', async () => {
  const uploads = new Uploads({ folder: folder.path('uploads'), quota: 10 }, 10);
  const { handle } = await uploads.open();
  await handle.close();
  expect(readdirSync(folder.path('uploads'))).toHaveLength(1);
  const atExit = process.listeners('exit').filter(({ name }) => name === 'removeInUse');
  for (const listener of atExit) listener.call(process, 0);
  expect(readdirSync(folder.path('uploads'))).toEqual([]);
});

test('the files of a folder of uploads that is gone do not appear in another that has its name', async () => {
  const uploads = new Uploads({ folder: folder.path('uploads'), quota: 10 }, 10);
  const { handle, path } = await uploads.open();
  const own = join(path, '..');
  renameSync(own, `${own}-moved`);
  await expect(uploads.open()).rejects.toThrow('ENOENT');
  await handle.close();
  await uploads.remove(path);
});
