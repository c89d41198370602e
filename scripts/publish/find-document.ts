import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root, SOURCES } from '../paths';
import { SourceError } from '../source/source';

/**
 * The only file of openapi/ that is an OpenAPI document. Other files are parts of it.
 *
 * @throws {SourceError} if there is none, or more than one
 */
export function findDocument(): string {
  const folder = path.join(root, SOURCES);
  const files = readdirSync(folder)
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .map((name) => path.join(folder, name));
  const [document, ...others] = files.filter((file) =>
    /^[\s{]*["']?(?:openapi|swagger)["']?\s*:/m.test(readFileSync(file, 'utf8')),
  );
  if (document !== undefined && others.length === 0) return document;
  const got =
    document === undefined ? 'none' : [document, ...others].map((name) => path.basename(name)).join(', ');
  throw new SourceError(`${SOURCES}/: expected one file that starts an OpenAPI document, got ${got}`);
}
