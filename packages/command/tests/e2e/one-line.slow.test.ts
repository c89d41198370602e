import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { keepFolder } from '../../../../scripts/testing/folder';
import { TARBALL } from '../../../../scripts/testing/package';
import { startProcess } from '../../../../scripts/testing/process';
import { PRODUCTION, PRODUCTION_MEGABYTES } from '../../../../scripts/testing/production';
import { ROOT } from '../../../../scripts/testing/snippets';

/*
 * The one line of README in an empty folder, and the installs of the service that it creates, on a machine that has Node, a
 * package manager, git and a shell. HOME and caches are empty, and there is no Python, make or compiler. It needs the registry.
 */

jest.setTimeout(600_000);

const folder = keepFolder();
const SCRIPTS = join(folder, 'node_modules');

/** Each manager, its package, and what it installs beyond the list: an optional peer of debug, which pnpm finds among the tools. */
const MANAGERS: readonly (readonly [name: string, version: string, more: readonly string[]])[] = [
  ['npm 10', 'npm@10.9.9', []],
  ['npm 11', 'npm@11.19.1', []],
  ['pnpm 12', 'pnpm@12.21.0', ['supports-color']],
];
/** Their commands: the one line, `npm ci` and `npm ci --omit=dev`. */
const NPM = { new: 'npx -y -p', run: '', ci: 'npm ci', production: 'npm ci --omit=dev' };
const PNPM = {
  new: 'pnpm --package',
  run: 'dlx',
  ci: 'pnpm install --frozen-lockfile',
  production: 'pnpm install --frozen-lockfile --prod',
};

const alias = (name: string) => name.replace(' ', '-');

/** How this machine reaches the registry: what its npm is configured with, for a home of its own. */
function connection(): string {
  const value = (name: string) =>
    execFileSync('npm', ['config', 'get', name], { cwd: folder, encoding: 'utf8' }).trim();
  return ['registry', 'cafile', 'proxy', 'https-proxy', 'noproxy']
    .map((name) => [name, value(name)])
    .filter(([, given = '']) => !['', 'null', 'undefined'].includes(given))
    .map((setting) => `${setting.join('=')}\n`)
    .join('');
}
const CERTIFICATES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

beforeAll(() => {
  const packages = MANAGERS.map(([name, version]) => `${alias(name)}@npm:${version}`);
  const options = [
    '--prefix',
    folder,
    '--no-save',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--silent',
  ];
  execFileSync('npm', ['install', ...options, ...packages]);
});

/** A machine on which nothing is installed but a manager. Returns how to run a line of a shell in a folder of it. */
function openMachine(name: string) {
  const [home, programs] = [join(folder, `${alias(name)}-home`), join(folder, `${alias(name)}-programs`)];
  mkdirSync(home);
  mkdirSync(programs);
  writeFileSync(join(home, '.npmrc'), connection());
  symlinkSync(process.execPath, join(programs, 'node'));
  for (const program of ['sh', 'git']) {
    const file = execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
    symlinkSync(file, join(programs, program));
  }
  for (const [program, file] of Object.entries(
    name.startsWith('npm') ? { npm: 'bin/npm-cli.js', npx: 'bin/npx-cli.js' } : { pnpm: 'bin/pnpm.mjs' },
  )) {
    const script = join(programs, program);
    writeFileSync(script, `#!/bin/sh\nexec node '${join(SCRIPTS, alias(name), file)}' "$@"\n`);
    chmodSync(script, 0o755);
  }
  const certificates = CERTIFICATES.flatMap((each) => {
    const value = process.env[each];
    return value === undefined ? [] : [[each, value] as const];
  });
  const env = { PATH: programs, HOME: home, CI: '1', ...Object.fromEntries(certificates) };
  return (line: string, cwd: string) => {
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', line], { cwd, env, encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };
}

/** What node_modules/ of a folder has: the names of the packages, and the MB of their files. */
function installedIn(service: string): { readonly names: string[]; readonly megabytes: number } {
  const files = readdirSync(join(service, 'node_modules'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const names = files.flatMap(
    (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(file)?.[1] ?? [],
  );
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  return { names: [...new Set(names)].sort(), megabytes: bytes / 1e6 };
}

test.each(MANAGERS)(
  '%s: one line in an empty folder, then the installs of the service',
  async (name, _, more) => {
    const run = openMachine(name);
    const commands = name.startsWith('npm') ? NPM : PNPM;
    const service = join(folder, `${alias(name)}-museum`);
    mkdirSync(service);
    copyFileSync(TARBALL, join(service, basename(TARBALL)));
    copyFileSync(join(ROOT, 'docs/museum.yaml'), join(service, 'museum.yaml'));
    const line = `${commands.new} "$PWD/${basename(TARBALL)}" ${commands.run} contract-first new museum.yaml`;
    const created = run(line, service);
    expect([created.status, created.output]).toEqual([
      0,
      expect.stringMatching(/PROVEN (\d+)\/\1, WAIVED 0, UNPROVEN 0, BLOCKED 0[^]* is ready in this folder/),
    ]);

    const whole = run(commands.ci, service);
    expect(whole).toEqual({ status: 0, output: expect.any(String) as string });
    // npm 11 and pnpm name scripts that nobody has allowed or refused.
    expect(whole.output).not.toMatch(/allow-scripts|approve-builds|gyp/);
    // With another verb the line runs what is installed here: the package alone has no compiler.
    const verb = run(line.replace('new museum.yaml', 'todo'), service);
    expect(verb).toEqual({ status: 0, output: expect.stringMatching(/^no stub[^]*/m) as string });
    expect(run('node node_modules/typescript/bin/tsc -p src', service)).toEqual({ status: 0, output: '' });

    rmSync(join(service, 'node_modules'), { recursive: true }); // pnpm keeps what is there
    const production = run(commands.production, service);
    expect([production.status, production.output]).toEqual([0, expect.any(String)]);
    const { names, megabytes } = installedIn(service);
    expect(names).toEqual([...PRODUCTION, ...more].sort());
    // pnpm keeps more in the folder than the packages.
    if (commands === NPM) expect(megabytes).toBeLessThan(PRODUCTION_MEGABYTES);
    const env = { NODE_ENV: 'production', PORT: '0', API_TOKENS: 'secret', DATABASE_URL: 'memory:' };
    const server = startProcess([join(service, 'dist/main.js')], env, service);
    await server.printed(/listening on http:\/\/127\.0\.0\.1:\d+/);
    expect(await server.stop()).toBe(0);
  },
);
