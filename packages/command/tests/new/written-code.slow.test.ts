import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../../scripts/testing/folder';
import { SOURCES } from '../../../../scripts/testing/sources';
import { collidingDocuments } from '../support/colliding';
import { keyedDocuments } from '../support/keyed';
import type { Written } from '../support/written-code';

// What `new` writes compiles, and passes the linter of the service: whatever the names of the document are.

jest.setTimeout(600_000);

const ROOT = join(__dirname, '../../../..');
const folder = useFolder();

/** The documents of this project. */
const FIXTURES = [
  'docs/museum.yaml',
  'openapi/plant-store.yaml',
  ...[
    'example.yaml',
    'layout/openapi/bike-shed.yaml',
    'tests/e2e/library/library.yaml',
    'tests/e2e/photos/photos.yaml',
    'tests/new/resources.yaml',
  ].map((file) => `packages/command/${file}`),
  ...['night-museum', 'club', 'gallery'].map((name) => `packages/command/tests/e2e/new-service/${name}.yaml`),
  'scripts/testing/fixture/openapi/notes.yaml',
  ...readdirSync(join(ROOT, 'scripts/testing/documents'))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `scripts/testing/documents/${name}`),
].map((file) => join(ROOT, file));

function writtenFor(files: readonly string[]): Written[] {
  const args = [...SOURCES, join(__dirname, '../support/written-code.ts')];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: 'utf8',
    input: JSON.stringify(files),
    maxBuffer: 2 ** 28,
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Written[];
}

test('compiles and passes the linter, whatever names collide', () => {
  const documents = [...collidingDocuments(100, 42), ...keyedDocuments()];
  const files = documents.map((document, i) =>
    join(folder.write({ [`${i}.json`]: JSON.stringify(document) })),
  );
  const written = writtenFor([...files, ...FIXTURES]);
  expect(written.flatMap(({ file, findings }) => findings.map((finding) => `${file}: ${finding}`))).toEqual(
    [],
  );
  expect(written.filter(({ handlers }) => handlers.length > 0).length).toBeGreaterThan(30);
});
