import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepFolder } from '../support/folder';
import { installBeside, layOut, runIn, TARBALL } from '../support/package';

// A service that `make new` lays out from a document of OpenAPI 3.2 with uploads, streams and events; then its handlers.

jest.setTimeout(120_000);

const folder = keepFolder();
const service = join(folder, 'gallery');
let said: string;
beforeAll(() => {
  installBeside(folder, TARBALL);
  said = layOut(service, join(__dirname, 'new-service/gallery.yaml'));
});

const run = (...args: readonly string[]) => runIn(service, 'contract-first', ...args);
const handler = (id: string, file: string, code: string) => {
  const text = `import type { CreateHandler } from './types';\n\nexport const ${id}: CreateHandler<'${id}'> = ${code};\n`;
  writeFileSync(join(service, `src/handlers/${file}.ts`), text);
};

test('stubs of uploads, streams and events are laid out, and are green', () => {
  expect(said).toContain('served 6 of 6 operations');
  expect(said).toMatch(/STUB \d+, PROVEN \d+\/\d+, WAIVED \d+, UNPROVEN 0, BLOCKED 0/);
  expect(run('check')).toMatchObject({ status: 0 });
  const readme = readFileSync(join(service, 'README.md'), 'utf8');
  for (const part of [
    "-F 'file=@package.json;type=image/png'",
    "--data-binary '@package.json'",
    'curl -i -N',
  ])
    expect(readme).toContain(part);
});

/** What there is before any picture was added: a stream without items proves nothing of them. */
const FIRST = `{ id: '8e0b5a2c-6f2b-4a53-9b1e-0d6f5a7c3e21', title: 'Sunflowers', size: 1 }`;

test('their handlers are typed, and proven', () => {
  handler(
    'addPicture',
    'add-picture',
    `({ store }) => async ({ body, signal }) => {
      signal.throwIfAborted();
      const picture = { id: crypto.randomUUID(), title: body.title, size: body.file.size };
      await store.pictures.add(picture);
      return { status: 201, body: picture };
    }`,
  );
  handler(
    'searchPictures',
    'search-pictures',
    `({ store }) => async ({ body, query }) => {
      const all = [${FIRST}, ...(await store.pictures.list())];
      const found = all.filter(({ title }) => body.title === undefined || title === body.title);
      const items = query?.largest === true ? found.toSorted((a, b) => b.size - a.size).slice(0, 1) : found;
      return { status: 200, body: ReadableStream.from(items) };
    }`,
  );
  handler(
    'importPictures',
    'import-pictures',
    `() => async ({ body, signal }) => {
      signal.throwIfAborted();
      let count = 0;
      for await (const { size } of body) count += size < 0 ? 0 : 1;
      return { status: 200, body: String(count) };
    }`,
  );
  handler(
    'replaceBackdrop',
    'replace-backdrop',
    `() => async ({ body, signal }) => {
      signal.throwIfAborted();
      for await (const bytes of body) bytes.fill(0);
      return { status: 204 };
    }`,
  );
  handler(
    'follow',
    'follow',
    `({ store }) => async () => {
      const pictures = [${FIRST}, ...(await store.pictures.list())];
      return { status: 200, body: ReadableStream.from(pictures.map((data) => ({ event: 'added' as const, data }))) };
    }`,
  );
  runIn(service, 'prettier', '--write', '--log-level', 'warn', 'src');
  expect(run('check')).toMatchObject({ status: 0 });
  expect(run('contract').output).toMatch(/PROVEN (\d+)\/\1, WAIVED \d+, UNPROVEN 0, BLOCKED 0/);
});

test('an item that the document does not allow is an error of the compiler, at its place', () => {
  handler(
    'follow',
    'follow',
    "() => async () => ({ status: 200, body: ReadableStream.from([{ event: 'added', data: '{}' }]) })",
  );
  expect(run('check').output).toContain('follow with the status 200: body, each item');
});
