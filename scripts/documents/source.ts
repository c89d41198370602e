import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** A public document: a file of a repository at a commit, or of an npm package at a version. */
export interface Listed {
  readonly name: string;
  /** `owner/name` on GitHub, with its commit; or an npm package, with its version. */
  readonly repository?: string;
  readonly commit?: string;
  readonly package?: string;
  readonly version?: string;
  /** The path of the document in the repository or the package. */
  readonly path: string;
  /** The SPDX identifier of its license. */
  readonly license?: string;
  /** What it is in the list for. */
  readonly traits?: string;
  /** The digest of a document that was drawn. */
  readonly sha256?: string;
}

const CACHE = '.cache/documents';
const RAW = 'https://raw.githubusercontent.com';
/** The files of one document, and the milliseconds until one has arrived. */
const [MAX_FILES, TIMEOUT] = [500, 30_000];

/**
 * The path of a document in the cache. Fetches it first if it is missing, with the files that it refers to.
 *
 * @throws {Error} if it cannot be had
 */
export async function cached(listed: Listed): Promise<string> {
  const { repository, commit, package: name, version, path } = listed;
  if (repository === undefined) return packed(`${String(name)}@${String(version)}`, path);
  const folder = join(CACHE, repository.replace('/', '+'), String(commit));
  const files = new Set([path]);
  for (const file of files) {
    if (files.size > MAX_FILES) throw new Error(`it refers to more than ${MAX_FILES} files`);
    const text = await fileOf(join(folder, file), `${RAW}/${repository}/${String(commit)}/${file}`).catch(
      (error: unknown) => {
        // Of the others some are in comments or examples. The tools name those that they miss.
        if (file === path) throw error;
        return '';
      },
    );
    for (const reference of referencesIn(text)) {
      const other = posix.join(posix.dirname(file), reference);
      if (!other.startsWith('../')) files.add(other);
    }
  }
  return join(folder, path);
}

/** The text of a file in the cache, which is fetched if it is missing. */
async function fileOf(path: string, url: string): Promise<string> {
  if (existsSync(path)) return readFileSync(path, 'utf8');
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT) });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  const text = await response.text();
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return text;
}

/** The relative paths of the other files that a document refers to. */
const referencesIn = (text: string): string[] =>
  [...text.matchAll(/\$ref["']?\s*:\s*["']?([^\s"'#,}]+)/g)].flatMap(([, reference = '']) =>
    /^([a-z][a-z\d+.-]*:|\/)/i.test(reference) ? [] : decodeURI(reference),
  );

/** The path of a file of an npm package in the cache. */
function packed(spec: string, path: string): string {
  const folder = join(CACHE, 'npm', spec.replaceAll('/', '+'));
  if (!existsSync(folder)) {
    const part = `${folder}.part`;
    rmSync(part, { recursive: true, force: true });
    mkdirSync(part, { recursive: true });
    execFileSync('npm', ['pack', '--silent', '--pack-destination', part, spec], { stdio: 'pipe' });
    execFileSync('sh', ['-c', `tar -xzf *.tgz && rm *.tgz`], { cwd: part });
    execFileSync('mv', [part, folder]);
  }
  return join(folder, 'package', path);
}
