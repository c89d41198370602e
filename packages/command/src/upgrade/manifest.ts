/** The package.json of a service, for other packages. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../paths';
import { LAYOUT, OWN, PACKAGES } from '../new/write/install';

type Versions = Record<string, string>;

/** What is read and changed of it. Everything else stays as it is. */
interface Service {
  engines?: Versions;
  scripts?: Versions;
  dependencies?: Versions;
  devDependencies?: Versions;
  resolutions?: Versions;
}

/** The package.json that `contract-first new` lays out. */
const readLayout = (): Service =>
  JSON.parse(readFileSync(path.join(LAYOUT, 'package.json'), 'utf8')) as Service;

/** What contract-first carries. */
const CARRIED = PACKAGES.filter((name) => name !== 'contract-first');

/** What the packages depend on. */
const brought = (): Versions =>
  Object.assign(
    {},
    ...PACKAGES.map((name) => {
      const file =
        name === 'contract-first' ? path.join(OWN, 'package.json') : require.resolve(`${name}/package.json`);
      return (JSON.parse(readFileSync(file, 'utf8')) as Service).dependencies;
    }),
  ) as Versions;

/** What 2.0.0 has written. Another text is a decision of the team. */
const OLD_ENGINE = '>=22.14';
/** What a script needs that runs where the command is not installed. */
const NEEDS_COMMAND = /\bcontract-first\b(?!-)/;

/**
 * Changes package.json: the packages, the tools that they were tested with, and the scripts that start the service.
 *
 * @param specifierOf what the service depends on, by the name of a package
 * @param resolves whether the packages are to depend on each other so too: Yarn does not see that one carries the others
 * @returns what is left to do
 */
export function changeManifest(specifierOf: (name: string) => string, resolves: boolean): string[] {
  const file = path.join(root, 'package.json');
  const before = readFileSync(file, 'utf8');
  const manifest = JSON.parse(before) as Service;
  const layout = readLayout();
  const left: string[] = [];
  const own = { ...manifest.dependencies, ...manifest.devDependencies };
  const sections = { dependencies: layout.dependencies ?? {}, devDependencies: layout.devDependencies ?? {} };
  for (const [section, wanted] of Object.entries(sections) as [
    'dependencies' | 'devDependencies',
    Versions,
  ][])
    for (const [name, version] of Object.entries(wanted)) {
      const isOurs = PACKAGES.includes(name);
      // A range is a decision of the team, and so is a tool among the dependencies.
      if (!isOurs && !/^\d/.test(own[name] ?? '0')) continue;
      const to = !isOurs && manifest.dependencies?.[name] !== undefined ? 'dependencies' : section;
      const other = to === 'dependencies' ? 'devDependencies' : 'dependencies';
      if (manifest[other]?.[name] !== undefined) manifest[other] = without(manifest[other], name);
      manifest[to] = sorted({ ...manifest[to], [name]: isOurs ? specifierOf(name) : version });
    }
  const others = Object.entries(manifest.resolutions ?? {}).filter(([name]) => !PACKAGES.includes(name));
  const ours = resolves ? CARRIED.map((name) => [name, specifierOf(name)]) : [];
  if (manifest.resolutions ?? resolves)
    manifest.resolutions = Object.fromEntries([...others, ...ours]) as Versions;
  const node = layout.engines?.['node'] ?? '';
  const has = manifest.engines?.['node'];
  if (has === undefined || has === OLD_ENGINE) manifest.engines = { ...manifest.engines, node };
  else if (has !== node) left.push(`package.json: engines.node is ${has}, and the packages need ${node}`);
  left.push(...changeScripts(manifest, layout));
  const spare = Object.keys(manifest.devDependencies ?? {}).filter(
    (name) => Object.hasOwn(brought(), name) && !Object.hasOwn(sections.devDependencies, name),
  );
  if (spare.length > 0)
    left.push(
      `package.json: remove from devDependencies what the packages bring, unless your code imports it: ${spare.join(', ')}`,
    );
  const text = `${JSON.stringify(manifest, null, /^[ \t]+(?=")/m.exec(before)?.[0] ?? 2)}\n`;
  if (JSON.stringify(JSON.parse(before)) !== JSON.stringify(manifest)) writeFileSync(file, text);
  return left;
}

/** The command is not there in production: `npm start` begins without it. */
function changeScripts(manifest: Service, layout: Service): string[] {
  const { start, prestart } = manifest.scripts ?? {};
  const wanted = layout.scripts?.['prestart'];
  if (start === undefined || wanted === undefined) return [];
  if (prestart === undefined || /^(?:npx )?contract-first --node$|node-version/.test(prestart))
    manifest.scripts = behind('prestart', wanted, 'start', manifest.scripts ?? {});
  return ['prestart', 'start']
    .filter((name) => NEEDS_COMMAND.test((manifest.scripts?.[name] ?? '').replace(wanted, '')))
    .map(
      (name) => `package.json: the script ${name} runs contract-first, which is not installed in production`,
    );
}

/** The scripts with one more, before the one that it belongs to. */
function behind(name: string, text: string, next: string, scripts: Versions): Versions {
  const { [name]: old, ...others } = scripts;
  if (old !== undefined) return { ...scripts, [name]: text };
  return Object.fromEntries(
    Object.entries(others).flatMap((entry) => (entry[0] === next ? [[name, text], entry] : [entry])),
  );
}

const without = (versions: Versions, name: string): Versions =>
  Object.fromEntries(Object.entries(versions).filter(([one]) => one !== name));

const sorted = (versions: Versions): Versions =>
  Object.fromEntries(Object.entries(versions).toSorted(([a], [b]) => (a < b ? -1 : 1)));
