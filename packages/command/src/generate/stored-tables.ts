/** Reads which table has the objects of a body, and with which columns, from src/storage/. It loads no code of the service. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from '../paths';

const STORED = 'src/storage/stored.ts';
export const OPEN = 'src/storage/open.ts';

/** A table as its file defines it. */
export interface TableCode {
  readonly kind: 'table';
  readonly variable: string;
  readonly file: string;
  readonly columns: readonly string[];
}

/** A table, or an envelope with one. */
export type Place = TableCode | { readonly kind: 'envelope'; readonly places: ReadonlyMap<string, Place> };

/** The places of the bodies, by operationId. What is written in another way than `new` writes it is left out. */
export function storedPlaces(): ReadonlyMap<string, Place> {
  const file = parsed(STORED);
  const list = file && valueOf(file, 'stored');
  const place = list && placeOf(STORED, list);
  return place?.kind === 'envelope' ? place.places : new Map<string, Place>();
}

/** Columns by their names, as a table has them. */
export const columnsIn = (place: Place): object =>
  Object.fromEntries(
    place.kind === 'table'
      ? place.columns.map((name) => [name, { kind: 'column' }])
      : [...place.places].map(([name, inner]) => [name, columnsIn(inner)]),
  );

/** The number of the migrations in src/storage/open.ts; undefined if they are not a list there. */
export function countMigrations(): number | undefined {
  const visit = (node: ts.Node): number | undefined =>
    ts.isPropertyAssignment(node) &&
    node.name.getText() === 'migrations' &&
    ts.isArrayLiteralExpression(node.initializer)
      ? node.initializer.elements.length
      : ts.forEachChild(node, visit);
  const file = parsed(OPEN);
  return file && visit(file);
}

/** What a file imports under a name; undefined if it imports no such name. */
export function importOf(
  file: string,
  name: string,
): { readonly from: string; readonly name: string } | undefined {
  for (const statement of parsed(file)?.statements ?? []) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const bindings = statement.importClause?.namedBindings;
    const found =
      bindings && ts.isNamedImports(bindings)
        ? bindings.elements.find((element) => element.name.text === name)
        : undefined;
    if (found) return { from: statement.moduleSpecifier.text, name: (found.propertyName ?? found.name).text };
  }
  return undefined;
}

function parsed(file: string): ts.SourceFile | undefined {
  const whole = path.join(root, file);
  if (!existsSync(whole)) return undefined;
  return ts.createSourceFile(file, readFileSync(whole, 'utf8'), ts.ScriptTarget.Latest, true);
}

/** The value of a constant of a file. */
function valueOf(file: ts.SourceFile, name: string): ts.Expression | undefined {
  const declared = file.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => declarationList.declarations)
    .find((one) => one.name.getText() === name);
  let value = declared?.initializer;
  while (value && (ts.isSatisfiesExpression(value) || ts.isAsExpression(value))) value = value.expression;
  return value;
}

function placeOf(file: string, value: ts.Expression): Place | undefined {
  if (ts.isIdentifier(value)) {
    const { from, name } = importOf(file, value.text) ?? {};
    if (from === undefined || name === undefined) return undefined;
    const target = `${path.posix.join(path.posix.dirname(file), from).replace(/\.[jt]s$/, '')}.ts`;
    return tableIn(target, name, value.text);
  }
  if (!ts.isObjectLiteralExpression(value)) return undefined;
  const places = value.properties.flatMap((property): [string, Place][] => {
    const inner = ts.isPropertyAssignment(property)
      ? property.initializer
      : ts.isShorthandPropertyAssignment(property)
        ? property.name
        : undefined;
    const place = inner && placeOf(file, inner);
    const name = property.name && nameOf(property.name);
    return place && name !== undefined ? [[name, place]] : [];
  });
  return { kind: 'envelope', places: new Map(places) };
}

function tableIn(file: string, name: string, variable: string): TableCode | undefined {
  const source = parsed(file);
  const call = source && valueOf(source, name);
  if (!call || !ts.isCallExpression(call) || call.expression.getText() !== 'table') return undefined;
  const [, columns] = call.arguments;
  if (!columns || !ts.isObjectLiteralExpression(columns)) return undefined;
  const names = columns.properties.map((property) => property.name && nameOf(property.name));
  // The columns of `...others` are not known here.
  if (!names.every((one) => one !== undefined)) return undefined;
  return { kind: 'table', variable, file, columns: names };
}

const nameOf = (name: ts.PropertyName): string | undefined =>
  ts.isIdentifier(name) || ts.isStringLiteral(name)
    ? name.text
    : ts.isComputedPropertyName(name) && ts.isStringLiteral(name.expression)
      ? name.expression.text
      : undefined;
