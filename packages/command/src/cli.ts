/** `contract-first VERB`: the toolchain as a program, for the service in the current folder. verbs.ts has the verbs. */
import { readFileSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import {
  bold,
  execute,
  outliveReaders,
  PROGRAM,
  rowsOf,
  RUN,
  sentenceOf,
  unknown,
  UsageError,
} from './command';
import { readManifest } from './paths';
import { GROUPS, VERBS } from './verbs';

type Versions = Readonly<Record<string, string>>;

interface Own {
  readonly version?: string;
  readonly toolchain?: Versions;
}

const own = JSON.parse(readFileSync(path.join(__dirname, '../package.json'), 'utf8')) as Own;

function usage(): string {
  const rows = rowsOf(VERBS.map(({ name, summary }) => [name, summary]));
  const rowOf = (name: string) => rows[VERBS.findIndex((verb) => verb.name === name)] ?? '';
  return [
    `${PROGRAM} COMMAND [options]: create and work on a service from its OpenAPI document\n`,
    ...Object.entries(GROUPS).flatMap(([group, names]) => [bold(group), ...names.map(rowOf), '']),
    `${RUN} COMMAND --help explains a command; --version prints the version.`,
  ].join('\n');
}

async function main([name = '--help', ...args]: readonly string[]): Promise<number> {
  if (name === 'help' && args[0] !== undefined) return main([args[0], '--help']);
  if (['--help', '-h', 'help', '--version', '-v'].includes(name)) {
    console.log(name.includes('v') ? (own.version ?? '') : usage());
    return 0;
  }
  const verb = VERBS.find((one) => one.name === name);
  if (!verb) {
    const known = [...VERBS.map((one) => one.name), '--help', '--version'];
    console.error(`${PROGRAM}: ${unknown('command', name, known)}\n${RUN} --help lists the commands`);
    return 2;
  }
  // What an upgrade installs.
  if (name !== 'upgrade') for (const line of otherVersions()) console.error(line);
  Module.enableCompileCache(); // of the toolchain: in the folder NODE_COMPILE_CACHE, or else in the temporary one
  return execute(
    {
      ...verb,
      async run(parsed) {
        try {
          return await verb.run(parsed);
        } catch (error) {
          const missing = missingTool(error);
          if (missing === undefined) throw error;
          throw new UsageError(
            `${PROGRAM} ${name}: a package is missing; install it: npm install -DE ${missing}`,
          );
        }
      },
    },
    args,
  );
}

/** A sentence if the service pins other versions of the toolchain, as it does after an upgrade of this package. */
function otherVersions(): string[] {
  let pinned: Versions;
  try {
    pinned = readManifest().devDependencies ?? {};
  } catch {
    return []; // what needs the file says so
  }
  const others = Object.entries(own.toolchain ?? {}).filter(
    ([name, version]) => /^\d/.test(pinned[name] ?? '') && pinned[name] !== version,
  );
  const names = others.map(([name, version]) => `${name}@${version}`);
  return names.length === 0
    ? []
    : [
        `${PROGRAM} was tested with other versions of some devDependencies; to install those: npm install -DE ${names.join(' ')}`,
      ];
}

/** The package of the toolchain, with its version, that could not be loaded; undefined if the error is another one. */
function missingTool(error: unknown): string | undefined {
  const [, name = ''] =
    /^Cannot find (?:module|package) '((?:@[^/]+\/)?[^/']+)/.exec((error as Error).message) ?? [];
  const version = own.toolchain?.[name];
  return version === undefined ? undefined : `${name}@${version}`;
}

outliveReaders();
const argv = process.argv.slice(2);
// What no verb catches, as in a timer.
process.on('uncaughtException', (error) => {
  console.error(argv.includes('--debug') ? error : sentenceOf(error, argv[0] ?? ''));
  process.exit(1);
});
void main(argv).then((status) => {
  process.exitCode = status;
});
