import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { randomOf } from '../program';
import type { Listed } from './source';

/*
 * Draws the documents of drawn.json from a clone of a public collection, one of each vendor, and writes them into the cache:
 *
 *     tsx --conditions=@contract-first/source scripts/documents/draw.ts CLONE
 */

/** Changing it draws another list. */
const SEED = 20261128;
const COUNT = 60;
const REPOSITORY = 'jentic/jentic-public-apis';
const COMMIT = 'bc155f73fd827540446e45790d6bd2272566d8f6';
const DOCUMENT = /^apis\/openapi\/([^/]+)\/.*openapi\.(json|yaml)$/;
/** Bytes. */
const [SMALLEST, LARGEST] = [5_000, 3_000_000];
/** Vendors of documents that this repository was built with. */
const KNOWN =
  /adyen|asana|box\.com|discord|example|github|kubernetes|mastodon|openai\.com|openapi-generator|openbanking|pagerduty|plaid|petstore|slack|spotify|stripe|swagger|twilio|typesense|uspto/;

const clone = process.argv[2] ?? '.';
const git = (...args: readonly string[]) =>
  execFileSync('git', ['-C', clone, ...args], { encoding: 'utf8', maxBuffer: 100_000_000 });

const byVendor = new Map<string, string[]>();
for (const line of git('ls-tree', '-r', '-l', COMMIT, 'apis/openapi').split('\n')) {
  const [, size, path = ''] = /^\S+ blob \S+ +(\d+)\t(.*)$/.exec(line) ?? [];
  const vendor = DOCUMENT.exec(path)?.[1];
  if (vendor === undefined || KNOWN.test(vendor)) continue;
  if (Number(size) < SMALLEST || Number(size) > LARGEST) continue;
  byVendor.set(vendor, [...(byVendor.get(vendor) ?? []), path]);
}

/** The names in an order that depends on the seed alone. */
const shuffled = (names: Iterable<string>): string[] =>
  [...names].sort((a, b) => randomOf(SEED, a) - randomOf(SEED, b));

const drawn: Listed[] = [];
for (const vendor of shuffled(byVendor.keys())) {
  if (drawn.length === COUNT) break;
  const [path = ''] = shuffled(byVendor.get(vendor) ?? []);
  const text = git('show', `${COMMIT}:${path}`);
  if (!/^\s*\{?\s*"?openapi"?\s*:\s*["']?3\.[01]/m.test(text)) continue;
  const file = join('.cache/documents', REPOSITORY.replace('/', '+'), COMMIT, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const sha256 = createHash('sha256').update(text).digest('hex');
  drawn.push({ name: vendor, repository: REPOSITORY, commit: COMMIT, path, sha256 });
}
writeFileSync(join(__dirname, 'drawn.json'), `${JSON.stringify(drawn, undefined, 2)}\n`);
