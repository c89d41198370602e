import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../run';
import { junitXml } from './junit';
import { htmlPage } from './page';
import { keywordRows, responseTable } from './tables';
import { headline } from './text';

/** Writes the HTML page, the JSON and the JUnit XML. Creates the folder. */
export function writeReport(result: Result, folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'index.html'),
    htmlPage(result, headline(result), responseTable(result), keywordRows(result)),
  );
  writeFileSync(join(folder, 'contract.json'), JSON.stringify(jsonReport(result), null, 2));
  writeFileSync(join(folder, 'junit.xml'), junitXml(result));
}

function jsonReport(result: Result): object {
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
