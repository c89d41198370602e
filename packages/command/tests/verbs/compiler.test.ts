import { readFileSync } from 'node:fs';
import { Compiler } from '../../src/compiler/compiler';
import { workOn } from '../../src/paths';
import { useFolder } from '../../../../scripts/testing/folder';

const ROOT = process.cwd();
const folder = useFolder();
afterEach(() => {
  workOn(ROOT);
});

test('a second process compiles no file that a change does not affect', () => {
  const compilerOptions = { lib: ['es5'], types: [], rootDir: '.', outDir: 'dist', composite: true };
  folder.write({
    'tsconfig.json': JSON.stringify({ compilerOptions, include: ['*.ts'] }),
    'a.ts': 'export const a = 1;',
    'b.ts': 'export const b = 1;',
  });
  workOn(folder.path('.'));
  expect(new Compiler('tsconfig.json').compile()).toBeUndefined();
  folder.write({ 'dist/a.js': 'as it was', 'b.ts': 'export const b = 2;' });
  expect(new Compiler('tsconfig.json').compile()).toBeUndefined();
  const texts = ['a', 'b'].map((name) => readFileSync(folder.path(`dist/${name}.js`), 'utf8'));
  expect(texts).toEqual(['as it was', expect.stringContaining('b = 2')]);
});
