import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const LAYOUT = path.join(__dirname, '../../layout');
/** The files of the layout that belong to its own document, or to a run of it where it stands. */
const OWN =
  /^((generated|reports|dist|data|\.cache)\/|openapi\/(?!overlay)|src\/handlers\/(?!index|types)|src\/storage\/(?!open|stored|users)|tests\/contract\/examples)/;
/** The files whose names have no dot in the layout, because npm does not pack them if they have one. */
export const UNDOTTED: readonly string[] = ['gitignore', 'npmrc'];
/** The files that a new service gets from the layout, by their paths in it. */
export const layoutFiles = (): string[] =>
  readdirSync(LAYOUT, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(LAYOUT, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .filter((file) => !OWN.test(file))
    .sort();

export const readLayout = (file: string): string => readFileSync(path.join(LAYOUT, file), 'utf8');
