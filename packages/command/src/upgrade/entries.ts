/** The entries of the package of 2.0.0, and where their names are now. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type TypeScript from 'typescript';

export type Compiler = typeof TypeScript;

const OLD = 'contract-first-server';
const RUNTIME = [`${OLD}/runtime`, OLD, `${OLD}/tools`] as const;

/** By the entry that 2.0.0 had: the entries that have its names now. The first is its successor. */
const SUCCESSORS: ReadonlyMap<string, readonly [string, ...string[]]> = new Map(
  Object.entries({
    [OLD]: [OLD, `${OLD}/tools`],
    [`${OLD}/database`]: ['contract-first-database'],
    [`${OLD}/kysely`]: ['contract-first-database/kysely'],
    [`${OLD}/runtime`]: RUNTIME,
    [`${OLD}/operational`]: RUNTIME,
    [`${OLD}/testing`]: ['contract-first-prover', 'contract-first-prover/service'],
  }),
);
const SCHEMAS = `${OLD}/schemas/`;

/** The names that are others now, where the entry no longer has them. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['Surroundings', 'RuntimeOptions'],
  ['Fate', 'Support'],
  ['REFUSED', 'SHORT_MESSAGE'],
  ['refusalActions', 'responseActions'],
  ['refusalOf', 'errorResponseOf'],
  ['undocumentedRefusals', 'undocumentedResponses'],
]);

/** Where a name is now, and how it is called there. */
export interface Place {
  readonly entry: string;
  readonly name: string;
}

/** An entry that code of 2.0.0 imports. */
export interface Moved {
  readonly entry: string;
  /** The entry that takes its place. */
  readonly successor: string;
  /** All that have its names. */
  readonly all: readonly string[];
  /** Undefined if no entry has the name any more. */
  readonly find: (name: string) => Place | undefined;
}

/** The entry of 2.0.0 that a specifier names; undefined if it names something else. */
export function movedEntry(ts: Compiler, entry: string): Moved | undefined {
  if (entry.startsWith(SCHEMAS)) {
    const successor = entry.replace(OLD, 'contract-first');
    return { entry, successor, all: [successor], find: (name) => ({ entry: successor, name }) };
  }
  const all = SUCCESSORS.get(entry);
  if (all === undefined) return undefined;
  const at = (name: string) => all.find((one) => namesOf(ts, one).has(name));
  const find = (name: string): Place | undefined => {
    for (const now of [name, RENAMED.get(name)]) {
      const found = now === undefined ? undefined : at(now);
      if (now !== undefined && found !== undefined) return { entry: found, name: now };
    }
    return undefined;
  };
  return { entry, successor: all[0], all, find };
}

const read = new Map<string, ReadonlySet<string>>();

/** The names that an entry of the packages beside this one exports, its types too. */
export function namesOf(ts: Compiler, entry: string): ReadonlySet<string> {
  const names = read.get(entry) ?? new Set(exportsOf(ts, fileOf(entry)));
  read.set(entry, names);
  return names;
}

interface Exports {
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The declarations of an entry, or its source in the repository. */
function fileOf(entry: string): string {
  const [name = ''] = entry.split('/');
  const manifest = require.resolve(`${name}/package.json`);
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as Exports;
  const files = exports[`.${entry.slice(name.length)}`] ?? {};
  return path.join(path.dirname(manifest), files['@contract-first/source'] ?? files['types'] ?? '');
}

function exportsOf(ts: Compiler, file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) {
      const { exportClause: clause, moduleSpecifier: from } = statement;
      if (clause !== undefined)
        return ts.isNamedExports(clause) ? clause.elements.map(({ name }) => name.text) : [clause.name.text];
      return from !== undefined && ts.isStringLiteral(from) ? exportsOf(ts, besides(file, from.text)) : [];
    }
    if (!ts.canHaveModifiers(statement) || !isExported(ts, statement)) return [];
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) =>
        ts.isIdentifier(name) ? [name.text] : [],
      );
    return 'name' in statement && ts.isIdentifier(statement.name) ? [statement.name.text] : [];
  });
}

const isExported = (ts: Compiler, node: TypeScript.HasModifiers): boolean =>
  ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;

/** The file that a module imports by a path: a source, or its declarations. */
function besides(file: string, specifier: string): string {
  const base = path.join(path.dirname(file), specifier.replace(/\.js$/, ''));
  const ending = file.endsWith('.d.ts') ? '.d.ts' : '.ts';
  return existsSync(`${base}${ending}`) ? `${base}${ending}` : path.join(base, `index${ending}`);
}
