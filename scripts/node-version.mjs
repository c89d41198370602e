// Exits with 1 and a message if `node` is older than package.json requires. Runs on Node 12 and later.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const oldest = /[\d.]+/.exec(engines.node)[0];
const [major, minor] = oldest.split('.').map(Number);
const [ownMajor, ownMinor] = process.versions.node.split('.').map(Number);
if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
  console.error(
    `expected Node ${oldest} or later, got ${process.versions.node}: use make (\`make run\`, \`make test\`), which installs a newer one`,
  );
  process.exitCode = 1;
}
