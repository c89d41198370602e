/**
 * `make generate`: writes scripts/deploy/, which is what `contract-first new --with deploy` writes for the plant store, from
 * packages/command/layout/deploy/. With --check it writes nothing, and fails if a file is out of date.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { version } from '../../package.json';
import { readSource } from '../../packages/command/src/document/source/source';
import { readExtras } from '../../packages/command/src/new/extras';
import { layOut } from '../../packages/command/src/new/layout';
import { namesFrom } from '../../packages/command/src/new/names';
import { runProgram } from '../program';

const ROOT = path.join(__dirname, '../..');

/** The text of each file of scripts/deploy/, by its path. */
export async function deployment(): Promise<ReadonlyMap<string, string>> {
  const names = namesFrom('plant-store', 'Plant store');
  if (!names) throw new Error('expected names');
  const source = readSource(path.join(ROOT, 'openapi/plant-store.yaml'));
  const { files } = await layOut(source, names, version, readExtras('deploy'));
  return new Map(
    Object.entries(files)
      .filter(([file]) => file.startsWith('deploy/'))
      .map(([file, text]) => [
        `scripts/${file}`,
        text.replace('-f deploy/', '-f scripts/deploy/').replace('context: ..', 'context: ../..'),
      ]),
  );
}

async function main(): Promise<void> {
  const isCurrent = (file: string, text: string) => existsSync(file) && readFileSync(file, 'utf8') === text;
  const old = [...(await deployment())].filter(([file, text]) => !isCurrent(path.join(ROOT, file), text));
  if (!process.argv.includes('--check'))
    for (const [file, text] of old) writeFileSync(path.join(ROOT, file), text);
  else if (old.length > 0)
    throw new Error(`out of date: ${old.map(([file]) => file).join(', ')}; run \`make generate\``);
}

if (require.main === module) runProgram('generate', main);
