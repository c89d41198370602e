import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { keepFolder } from '../../../../scripts/testing/folder';
import { installBeside, layOut } from '../../../../scripts/testing/package';

// A service that `make new` lays out from a document of OpenAPI 3.2 with uploads, streams and events. (photos.slow.test.ts has their handlers.)

jest.setTimeout(600_000);

const folder = keepFolder();
const service = join(folder, 'gallery');
let said: string;
beforeAll(() => {
  installBeside(folder);
  said = layOut(service, join(__dirname, './new-service/gallery.yaml'));
});

test('stubs of uploads, streams and events are laid out, and are green', () => {
  expect(said).toContain('served 6 of 6 operations');
  expect(said).toMatch(/STUB \d+, PROVEN \d+\/\d+, WAIVED \d+, UNPROVEN 0, BLOCKED 0/);
  const readme = readFileSync(join(service, 'README.md'), 'utf8');
  for (const part of [
    "-F 'file=@package.json;type=image/png'",
    "--data-binary '@package.json'",
    'curl -i -N',
  ])
    expect(readme).toContain(part);
});
