import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isObject, versionFinding } from '../../src/contract';
import { located, readSource, type Source, SourceError } from '../source/source';
import { type Names, namesFrom } from './names';

/** The arguments of `make new`. */
export interface Arguments {
  readonly folder: string;
  readonly file: string;
  readonly name: string;
  /** A built package; undefined: it is built. */
  readonly tarball: string | undefined;
  /** A folder of installed packages to use; undefined: npm installs them. For tests, which have no network. */
  readonly modules: string | undefined;
  /** Whether parts of the document may be outside of its folder. */
  readonly allowOutside: boolean;
}

/** @throws {SourceError} with a sentence about the arguments */
export function readArguments(argv: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: {
      package: { type: 'string' },
      modules: { type: 'string' },
      'allow-outside': { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const [folder = '', file = '', name = ''] = positionals;
  if (folder === '' || file === '')
    throw new SourceError('expected a folder and a document: make new DIR=../museum DOC=path/to/museum.yaml');
  if (!existsSync(file))
    throw new SourceError(`DOC: expected a file that can be read, got ${file}, which does not exist`);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new SourceError(`DIR: expected a new or empty folder, got ${folder}, which has files`);
  const { package: tarball, modules, 'allow-outside': allowOutside } = values;
  return { folder: path.resolve(folder), file: path.resolve(file), name, tarball, modules, allowOutside };
}

/** @throws {SourceError} if the document is of another version, or has no name */
export function readDocumentAndNames({ file, folder, name, allowOutside }: Arguments): [Source, Names] {
  const source = readSource(file, allowOutside);
  const version = versionFinding(source.document);
  if (version) throw new SourceError(located(source, [version]));
  const { info } = source.document;
  const title = isObject(info) && typeof info['title'] === 'string' ? info['title'] : path.basename(folder);
  const names = [name, path.basename(folder), title]
    .filter((text) => text !== '')
    .map((text) => namesFrom(text, title))
    .find((found) => found !== undefined);
  if (!names) throw new SourceError(`NAME: expected a name with letters from a to z, got ${name || folder}`);
  return [source, names];
}
