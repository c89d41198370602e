import { execFile } from 'node:child_process';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { work } from './worker.mjs';

const jar = createRequire(import.meta.url).resolve('specmatic/specmatic.jar');

// The command of the package, with its generative tests (negative requests too). It needs Java 17.
work(async ({ document, base, headers, folder }) => {
  const reports = join(folder, 'reports');
  rmSync(reports, { recursive: true, force: true });
  const env = {
    ...process.env,
    SPECMATIC_GENERATIVE_TESTS: 'true',
    bearerAuth: headers.Authorization?.replace(/^Bearer /, ''),
  };
  const args = ['-jar', jar, 'test', document, `--testBaseURL=${base}`, `--junitReportDir=${reports}`];
  await new Promise((resolve) => execFile('java', args, { cwd: folder, env, maxBuffer: 2 ** 28 }, resolve));
  const files = readdirSync(reports).filter((name) => name.endsWith('.xml'));
  return files.flatMap((name) => {
    const cases = readFileSync(join(reports, name), 'utf8').split('<testcase ').slice(1);
    return cases
      .filter((text) => /<failure|<error/.test(text))
      .map((text) => /name="([^"]*)"/.exec(text)?.[1] ?? 'a case without a name');
  });
});
