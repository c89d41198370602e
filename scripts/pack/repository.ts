import { execFileSync } from 'node:child_process';

/** The address of a repository on the web, from one that git takes; undefined if it has none there. */
export function webAddress(remote: string): string | undefined {
  const url = URL.parse(remote.trim().replace(/^[\w.-]+@([^/:]+):/, 'ssh://$1/'));
  return url && /^(https?|ssh|git):$/.test(url.protocol)
    ? `https://${url.hostname}${url.pathname.replace(/(\.git)?\/?$/, '')}`
    : undefined;
}

/**
 * The address of this repository: of the release that GitHub runs, or of the remote `origin`. The sources know none, because a
 * copy of them lies elsewhere.
 */
export function repositoryAddress(env: NodeJS.ProcessEnv, root: string): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = env;
  if (server !== undefined && name !== undefined) return `${server}/${name}`;
  try {
    const remote = execFileSync('git', ['remote', 'get-url', 'origin'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return webAddress(remote);
  } catch {
    return undefined; // no git, or no such remote
  }
}

/** What a package.json says of the repository: npm demands it of a package with a provenance. */
export const linksTo = (address: string | undefined, directory: string): object =>
  address === undefined
    ? {}
    : {
        homepage: `${address}#readme`,
        repository: { type: 'git', url: `git+${address}.git`, directory },
        bugs: { url: `${address}/issues` },
      };
