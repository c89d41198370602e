import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { SourceError } from '../source/source';

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
