import { readdirSync } from 'node:fs';
import path from 'node:path';
import { root, SOURCES } from '../../paths';
import { readText, SourceError } from '../source/read-file';

/** Whether a text is that of a whole document, rather than of a part. */
export const startsDocument = (text: string): boolean =>
  /^[\s{]*["']?(?:openapi|swagger)["']?\s*:/m.test(text);

/**
 * The only file of openapi/ that is an OpenAPI document. Other files are parts of it.
 *
 * @throws {SourceError} if there is none, or more than one
 */
export function findDocument(): string {
  const folder = path.join(root, SOURCES);
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => /\.(ya?ml|json)$/.test(entry.name) && (entry.isFile() || entry.isSymbolicLink()))
    .map(({ name }) => path.join(folder, name));
  const [document, ...others] = files.filter((file) => startsDocument(readText(file)));
  if (document !== undefined && others.length === 0) return document;
  const got =
    document === undefined ? 'none' : [document, ...others].map((name) => path.basename(name)).join(', ');
  throw new SourceError(`${SOURCES}/: expected one file with the field \`openapi\`, got ${got}`);
}
