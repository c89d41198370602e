/** Brings the imports of a file over to the packages that have what it imports. */
import type TypeScript from 'typescript';
import { elementsOf, nameOf, specifierText, written } from './elements';
import { askedAt, call } from './calls';
import type { Compiler, Moved, Place } from './entries';
import { type Left, Rewriting } from './rewriting';
import { isIdentifier, whole } from './whole';
import { rewriteParts } from './parts';

export interface Rewritten {
  readonly text: string;
  /** The number of imports that have changed. */
  readonly count: number;
  readonly left: readonly Left[];
}

/** The server of 2.0.0 only warned of it. */
const REFUSALS =
  'this server starts only if each operation documents its rejections: paste the actions that it prints at the end of openapi/overlay.yaml, and run `npx contract-first generate`';

type Named = TypeScript.ImportSpecifier | TypeScript.ExportSpecifier;

export function rewriteImports(ts: Compiler, file: string, text: string): Rewritten {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const rewriting = new Rewriting(ts, source);
  rewriteParts(rewriting);
  const visit = (node: TypeScript.Node): void => {
    if (rewriteOne(rewriting, node)) rewriting.count++;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { text: rewriting.text, count: rewriting.count, left: rewriting.left };
}

/** @returns whether the node is an import that has changed */
function rewriteOne(rewriting: Rewriting, node: TypeScript.Node): boolean {
  const { ts } = rewriting;
  if (ts.isImportDeclaration(node)) return importDeclaration(rewriting, node);
  if (ts.isExportDeclaration(node)) return exportDeclaration(rewriting, node);
  if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference))
    return whole(rewriting, node.moduleReference.expression, rewriting.membersOf(node.name.text));
  if (ts.isImportTypeNode(node)) {
    const literal = ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
    const first = node.qualifier && leftmost(ts, node.qualifier);
    const moved = rewriting.moved(literal);
    if (moved === undefined) return false;
    return whole(
      rewriting,
      literal,
      first ? [{ name: first.text, node: first }] : askedAt(rewriting, node, moved),
    );
  }
  if (ts.isModuleDeclaration(node)) {
    const body = node.body && ts.isModuleBlock(node.body) ? node.body.statements : [];
    const asked = body.flatMap((statement) =>
      'name' in statement && isIdentifier(ts, statement.name)
        ? [{ name: statement.name.text, node: statement.name }]
        : [],
    );
    return whole(rewriting, node.name, asked);
  }
  return ts.isCallExpression(node) && call(rewriting, node);
}

const leftmost = (ts: Compiler, name: TypeScript.EntityName): TypeScript.Identifier =>
  ts.isIdentifier(name) ? name : leftmost(ts, name.left);

function importDeclaration(rewriting: Rewriting, node: TypeScript.ImportDeclaration): boolean {
  const { ts } = rewriting;
  const { importClause: clause, moduleSpecifier: literal } = node;
  const moved = rewriting.moved(literal);
  if (moved === undefined || !ts.isStringLiteral(literal)) return false;
  const bindings = clause?.namedBindings;
  if (!clause || !bindings || ts.isNamespaceImport(bindings)) {
    const locals = [clause?.name, ...(bindings && ts.isNamespaceImport(bindings) ? [bindings.name] : [])];
    const asked = locals.flatMap((local) => (local ? rewriting.membersOf(local.text) : []));
    return whole(rewriting, literal, asked, clause !== undefined);
  }
  const head = (isFirst: boolean): string => {
    if (isFirst) return rewriting.textOf(rewriting.startOf(node), rewriting.startOf(bindings));
    // The property for it has another name since TypeScript 5.9.
    const isOfTypes =
      !clause.name && rewriting.textOf(rewriting.startOf(clause), clause.end).startsWith('type');
    return isOfTypes ? 'import type ' : 'import ';
  };
  return named(rewriting, {
    node,
    list: bindings,
    literal,
    moved,
    head,
    hasDefault: clause.name !== undefined,
  });
}

function exportDeclaration(rewriting: Rewriting, node: TypeScript.ExportDeclaration): boolean {
  const { ts } = rewriting;
  const { exportClause: list, moduleSpecifier: literal } = node;
  const moved = rewriting.moved(literal);
  if (moved === undefined || literal === undefined || !ts.isStringLiteral(literal)) return false;
  const head = node.isTypeOnly ? 'export type ' : 'export ';
  if (list !== undefined && ts.isNamedExports(list))
    return named(rewriting, { node, list, literal, moved, head: () => head, hasDefault: false });
  if (list === undefined && !moved.all.includes(moved.entry) && moved.all.length > 1) {
    const from = (entry: string) => statement(rewriting, node, literal, `${head}*`, entry);
    rewriting.replace(rewriting.startOf(node), node.end, moved.all.map(from).join(rewriting.newLine));
    return true;
  }
  return whole(rewriting, literal, []);
}

/** A statement with what stands behind the name of its module. */
function statement(
  rewriting: Rewriting,
  node: TypeScript.Node,
  literal: TypeScript.StringLiteral,
  names: string,
  entry: string,
): string {
  const quote = rewriting.source.text[rewriting.startOf(literal)] ?? "'";
  return `${names} from ${quote}${entry}${quote}${rewriting.textOf(literal.end, node.end)}`;
}

interface NamedImport {
  readonly node: TypeScript.ImportDeclaration | TypeScript.ExportDeclaration;
  readonly list: TypeScript.NamedImports | TypeScript.NamedExports;
  readonly literal: TypeScript.StringLiteral;
  readonly moved: Moved;
  /** What stands before the list, in the first statement or in another one. */
  readonly head: (isFirst: boolean) => string;
  readonly hasDefault: boolean;
}

/** Names the entry of each name: in one statement, or in one for each entry. */
function named(rewriting: Rewriting, { node, list, literal, moved, head, hasDefault }: NamedImport): boolean {
  const { ts, newLine } = rewriting;
  const nodes: readonly Named[] = list.elements;
  const { list: elements, isMultiLine } = elementsOf(
    rewriting.source,
    nodes,
    rewriting.startOf(list) + 1,
    list.end - 1,
  );
  const groups = new Map<string, { place: Place | undefined; element: (typeof elements)[number] }[]>();
  if (hasDefault) groups.set(moved.successor, []);
  for (const element of elements) {
    const name = nameOf(element.node);
    const place = moved.find(name);
    if (place === undefined) rewriting.leaveUnknown(moved, { name, node: element.node });
    if (name === 'createApp' && moved.entry.endsWith('/operational')) rewriting.leave(element.node, REFUSALS);
    const entry = place?.entry ?? moved.successor;
    groups.set(entry, [...(groups.get(entry) ?? []), { place, element }]);
  }
  const text = (place: Place | undefined, one: Named): string =>
    place === undefined || place.name === nameOf(one)
      ? rewriting.textOf(rewriting.startOf(one), one.end)
      : specifierText(ts, one, place.name, localName(rewriting, one, place.name));
  const [first] = groups.keys();
  if (groups.size <= 1) {
    for (const { place, element } of [...groups.values()].flat())
      rewriting.replace(rewriting.startOf(element.node), element.node.end, text(place, element.node));
    const entry = first ?? moved.successor;
    rewriting.setEntry(literal, entry);
    const isRenamed = [...groups.values()]
      .flat()
      .some(({ place, element }) => place !== undefined && place.name !== nameOf(element.node));
    return entry !== literal.text || isRenamed;
  }
  const statements = [...groups].map(([entry, group]) => {
    const texts = group.map(({ place, element }) => ({ ...element, text: text(place, element.node) }));
    if (texts.length === 0) {
      const alone = head(true).replace(/,\s*$/, '');
      return statement(rewriting, node, literal, alone, entry);
    }
    return statement(
      rewriting,
      node,
      literal,
      `${head(entry === first)}${written(texts, isMultiLine, newLine)}`,
      entry,
    );
  });
  rewriting.replace(rewriting.startOf(node), node.end, statements[0] ?? '');
  // A comment behind the statement stays with the first.
  const behind = ts.getTrailingCommentRanges(rewriting.source.text, node.end)?.at(-1)?.end ?? node.end;
  rewriting.replace(
    behind,
    behind,
    statements
      .slice(1)
      .map((one) => `${newLine}${one}`)
      .join(''),
  );
  return true;
}

/**
 * What a name is called in the file if its module calls it otherwise now: so too, if nothing in the file stands in the way.
 * Its uses are renamed with it.
 */
function localName(rewriting: Rewriting, specifier: Named, now: string): string {
  const { ts } = rewriting;
  const { text } = specifier.name;
  if (ts.isExportSpecifier(specifier) || specifier.propertyName !== undefined) return text;
  const uses = rewriting.named(text).filter(({ parent }) => parent !== specifier);
  const isPlain = ({ parent }: TypeScript.Node): boolean =>
    ts.isTypeReferenceNode(parent) || ts.isQualifiedName(parent) || ts.isExpressionWithTypeArguments(parent);
  if (rewriting.named(now).length > 0 || !uses.every(isPlain)) return text;
  for (const use of uses) rewriting.replace(rewriting.startOf(use), use.end, now);
  return now;
}
