import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const CONTRACT = join(__dirname, '../../src/contract');
/** The command and its verbs, make, and the files of a service: who knows them adds advice to what the core says. */
const FOREIGN =
  /\bnpx\b|\bcontract-first (?!server)\w+|`make |\bmake (?:generate|new|run|dev|mock|todo)\b|\bsrc\/(?:auth|errors|app|extensions|handlers|main)\b|\bopenapi\/overlay\b|\bpackages\/command\b/;

test('the core names neither the command nor the files of a service', () => {
  const files = readdirSync(CONTRACT, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(ts|md)$/.test(name),
  );
  expect(files.length).toBeGreaterThan(100);
  const lines = files.flatMap((file) =>
    readFileSync(join(CONTRACT, file), 'utf8')
      .split('\n')
      .map((line, i) => `${file}:${i + 1}: ${line.trim()}`),
  );
  expect(lines.filter((line) => FOREIGN.test(line))).toEqual([]);
});
