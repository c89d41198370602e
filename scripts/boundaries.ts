/**
 * `tsx scripts/boundaries.ts`: finds imports that .dependency-cruiser.mjs forbids, and compares the diagram of the
 * modules in CONTRIBUTING.md with the code. `--draw` updates the diagram.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { IConfiguration, ICruiseResult } from 'dependency-cruiser' with { 'resolution-mode': 'import' };

const ROOT = path.join(__dirname, '..');
const CONFIG = path.join(ROOT, '.dependency-cruiser.mjs');
const FOLDERS = ['src', 'packages', 'scripts', 'tests'];
const PICTURED = path.join(ROOT, 'CONTRIBUTING.md');
const PICTURE = /(?<=<!-- modules -->\n\n)[^]*?(?=\n<!-- \/modules -->)/;

/** The groups of the diagram. Whatever else they contain is a module. */
const GROUPS = [
  'packages/server/src/contract',
  'packages/server/src',
  'packages/command/src',
  'src',
  'packages',
];
const MODULE = new RegExp(`^(${GROUPS.join('|')})/[^/]+?(?=\\.ts$|/|$)`);

/** The module of a file with its group, such as `packages/server/src/contract/http`; undefined if the diagram leaves the file out. */
const moduleOf = (file: string): string | undefined => MODULE.exec(file)?.[0];

/** The imports between modules as a Mermaid diagram. An import that a chain of other imports implies has no arrow. */
function draw({ modules }: ICruiseResult): string {
  const imports = new Map<string, Set<string>>();
  for (const { source, dependencies } of modules) {
    const from = moduleOf(source);
    if (from === undefined) continue;
    const targets = imports.get(from) ?? new Set();
    imports.set(from, targets);
    for (const to of dependencies.map(({ resolved }) => moduleOf(resolved)))
      if (to !== undefined && to !== from) targets.add(to);
  }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(imports.get(from) ?? [])].some(
      (next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))),
    );
  const arrows = [...imports].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => ![...targets].some((other) => other !== to && reaches(other, to)))
      .map((to) => `  ${from} --> ${to}\n`),
  );
  const groups = GROUPS.map((folder) => {
    const modules = [...imports.keys()].filter((module) => path.posix.dirname(module) === folder).sort();
    const lines = modules.map((module) => `    ${module}[${path.posix.basename(module)}]\n`);
    return `  subgraph ${folder}\n${lines.join('')}  end\n`;
  });
  return `\`\`\`mermaid\nflowchart TD\n${groups.join('')}${arrows.sort().join('')}\`\`\`\n`;
}

/** @param drawing whether to draw the diagram anew */
async function main(drawing = false): Promise<boolean> {
  const { cruise, format } = await import('dependency-cruiser');
  const config = (await import(pathToFileURL(CONFIG).href)) as {
    default: IConfiguration;
  };
  const { forbidden = [], options = {} } = config.default;
  const { output } = await cruise(FOLDERS, { ...options, ruleSet: { forbidden }, validate: true });
  if (typeof output === 'string') throw new TypeError('expected the result of a cruise, got a report');
  if (output.summary.error > 0) {
    console.log((await format(output, { outputType: 'err-long' })).output);
    return false;
  }
  const text = readFileSync(PICTURED, 'utf8');
  const drawn = text.replace(PICTURE, () => draw(output));
  if (drawing) writeFileSync(PICTURED, drawn);
  else if (drawn !== text) {
    console.log('the module diagram in CONTRIBUTING.md is out of date: run `make modules`');
    return false;
  }
  return true;
}

void main(parseArgs({ options: { draw: { type: 'boolean' } } }).values.draw).then((clean) => {
  process.exitCode = clean ? 0 : 1;
});
