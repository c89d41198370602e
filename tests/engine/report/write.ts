import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../run';
import { junit } from './junit';
import { page } from './page';
import { keywords, matrix } from './tables';
import { headline } from './text';

/** Writes the page, the JSON and the JUnit XML into a folder, which is made. */
export function write(result: Result, folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.html'), page(result, headline(result), matrix(result), keywords(result)));
  writeFileSync(join(folder, 'contract.json'), JSON.stringify(json(result), null, 2));
  writeFileSync(join(folder, 'junit.xml'), junit(result));
}

function json(result: Result): object {
  const { obligations, failures, observations, requests, seconds, seed, passed, families } = result;
  const summary = {
    headline: headline(result),
    passed,
    requests,
    seconds,
    seed,
    families: Object.fromEntries(families),
  };
  return { ...summary, obligations, observations, failures };
}
