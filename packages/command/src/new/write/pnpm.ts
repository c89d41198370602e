import { fill, type Places } from '../fill';

/** What a service that pnpm installs has in the place of the commands and files of npm. Its Makefile knows both. */
const places = (version: string): Readonly<Record<string, Places>> => ({
  '.dockerignore': { '!package-lock.json': '!pnpm-lock.yaml\n!pnpm-workspace.yaml' },
  Dockerfile: {
    'package-lock.json': 'pnpm-lock.yaml pnpm-workspace.yaml',
    'npm ci --no-audit --no-fund': `npm install --global pnpm@${version} && pnpm install --frozen-lockfile`,
    'npm prune --omit=dev': 'CI=true pnpm prune --prod',
  },
  '.github/workflows/ci.yml': {
    // The last line of the step that installs Node.
    '          cache: npm': `      - run: npm install --global pnpm@${version}`,
    'npm audit --omit=dev': `npx --yes pnpm@${version} audit --prod`,
  },
});

/** What only pnpm reads. */
const OF_PNPM = 'pnpm-workspace.yaml';

export const forNpm = (files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter(([file]) => file !== OF_PNPM));

/**
 * @param files the texts of a service, by their paths
 * @param agent pnpm with its version, as it says what it is: `pnpm/12.21.0 npm/? node/v24.21.0`
 */
export function forPnpm(files: Readonly<Record<string, string>>, agent: string): Record<string, string> {
  const version = /^pnpm\/(\d+\.\d+\.\d+)/.exec(agent)?.[1] ?? 'latest';
  const present = Object.entries(places(version)).filter(([file]) => file in files);
  const changed = present.map(([file, own]) => [file, fill(file, files[file] ?? '', own)]);
  const renamed = ['README.md', 'package.json'].map((file) => [
    file,
    files[file]?.replaceAll(/\bnpm\b/g, 'pnpm'),
  ]);
  return { ...files, ...(Object.fromEntries([...changed, ...renamed]) as Record<string, string>) };
}
