import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../run';
import { type ContractReport, contractReport, type Locate } from './contract-report';
import { junitXml } from './junit';
import { htmlPage } from './page';

/**
 * Writes `index.html`, `contract.json` and `junit.xml`. Creates the folder.
 *
 * @param locate finds the lines of the document, if its file is known
 */
export function writeReport(result: Result, folder: string, locate?: Locate): ContractReport {
  const report = contractReport(result, locate);
  writeFiles(report, folder);
  return report;
}

/** Writes the files of a report. Creates the folder. */
export function writeFiles(report: ContractReport, folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'index.html'), htmlPage(report));
  writeFileSync(join(folder, 'contract.json'), JSON.stringify(report, null, 2));
  writeFileSync(join(folder, 'junit.xml'), junitXml(report));
}
