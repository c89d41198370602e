import fc from 'fast-check';
import fs, { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { version } from '../../package.json';
import { newService } from '../../src/new/main';
import { Steps } from '../../src/new/write/steps';
import { cases } from '../../../../scripts/testing/cases';
import { useFolder } from '../../../../scripts/testing/folder';

// What is left of a folder when a service could not be laid out in it: what was there, byte for byte.

const EXAMPLE = join(__dirname, '../../example.yaml');
const [MAIN, PART] = [
  readFileSync(EXAMPLE, 'utf8').replace(
    "$ref: '#/components/schemas/Problem'",
    "$ref: './parts/problem.yaml'",
  ),
  'type: object\nrequired: [title, status]\nproperties: { title: { type: string }, status: { type: integer } }\n',
];
const STEPS = ['reading', 'packing', 'writing', 'installing'];
/** What runs in the service in the place of finish.ts: it writes what that writes, and fails. */
const FINISH = `
const { appendFileSync, mkdirSync, writeFileSync } = require('node:fs');
for (const name of ['generated/openapi.json', 'reports/contract/contract.json', '.cache/a/b', 'src/handlers/stub.ts', 'data/a.db']) {
  mkdirSync(require('node:path').dirname(name), { recursive: true });
  writeFileSync(name, 'of a program');
}
appendFileSync('openapi/overlay.yaml', '# formatted');
process.exit(1);
`;

const folder = useFolder();

/** Every file of a folder with its text, and every empty folder. */
const treeOf = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [file, entry.isFile() ? readFileSync(file, 'latin1') : ''];
    }),
  );

/** Prints nothing, and fails before or after a step. */
class FailingSteps extends Steps {
  constructor(
    private readonly where: string,
    private readonly isBefore: boolean,
    private readonly meanwhile: () => void,
  ) {
    super({ write: () => undefined });
  }

  override async step<T>(...[doing, work, done]: Parameters<typeof Steps.prototype.step<T>>): Promise<T> {
    const isHere = doing.startsWith(this.where);
    if (isHere && this.isBefore) throw new Error('injected');
    const result = await super.step(doing, work, done);
    if (doing.startsWith('packing')) this.meanwhile();
    if (isHere) throw new Error('injected');
    return result;
  }
}

const PACKAGES = [
  'contract-first-database',
  'contract-first-server',
  'contract-first',
  'contract-first-prover',
];

const failures = fc.oneof(
  fc.record({ where: fc.constantFrom(...STEPS), isBefore: fc.boolean(), written: fc.constant(Infinity) }),
  fc.record({ where: fc.constant('no step'), isBefore: fc.constant(false), written: fc.nat(60) }),
);
/** Where the document is, with the folder of the service. */
const places = fc.constantFrom(
  { dir: 'service', document: 'service/books.yaml' },
  { dir: 'service', document: 'service/openapi/books.yaml' },
  { dir: 'new/with/more', document: 'elsewhere/books.yaml' },
);
const others = fc.subarray(['README.md', 'LICENSE', '.git/HEAD', 'contract-first-9.9.9.tgz']);

test('a failure anywhere leaves the folder as it was', async () => {
  const modules = 'modules/contract-first/dist/new/finish.js';
  let made = 0;
  const property = fc.asyncProperty(
    failures,
    places,
    others,
    fc.boolean(),
    async ({ where, isBefore, written }, { dir, document }, names, isUsed) => {
      const root = folder.path(`${(made += 1)}`);
      const put = (name: string, text: string | Buffer) => {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), text);
      };
      put(modules, FINISH);
      for (const name of PACKAGES) put(`packed/${name}-${version}.tgz`, 'a package');
      put(document, MAIN);
      put(join(dirname(document), 'parts/problem.yaml'), PART);
      if (document.startsWith(dir))
        for (const name of names) put(join(dir, name), Buffer.from([0xff, 0, 10]));
      const before = treeOf(root);
      const mine = join(root, dir, 'mine.txt');
      // As somebody else puts a file there meanwhile, which stays.
      const meanwhile = () => {
        if (!isUsed) return;
        fs.closeSync(fs.openSync(mine, 'w'));
        for (let above = mine; above !== root; above = dirname(above)) before[above] = '';
      };

      let rest = written;
      const { writeFileSync: write } = fs;
      const spy = jest.spyOn(fs, 'writeFileSync').mockImplementation((...args) => {
        if (rest-- > 0) {
          write(...args);
          return;
        }
        throw new Error('ENOSPC');
      });
      const options = {
        document: join(root, document),
        dir: join(root, dir),
        name: 'books',
        allowOutside: false,
      };
      const resources = { packages: join(root, 'packed'), modules: join(root, 'modules') };
      try {
        await expect(
          newService({ ...options, ...resources }, new FailingSteps(where, isBefore, meanwhile)),
        ).rejects.toThrow(/^(injected|ENOSPC|the tools installed in the service could not complete it)/);
      } finally {
        spy.mockRestore();
      }
      expect(treeOf(root)).toEqual(before);
    },
  );
  await fc.assert(property, { numRuns: cases(10, 25), seed: 30 });
});
