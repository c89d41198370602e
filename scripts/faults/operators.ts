import ts from 'typescript';

/** A change of product code: `before` stands at `column` (from 0) of the line whose text is `text`. */
export interface Fault {
  readonly file: string;
  /** From 1, when it was drawn. Lines above may have come and gone since. */
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly operator: string;
  readonly before: string;
  readonly after: string;
  /** Why no test can see it. */
  readonly equivalent?: string;
}

const COMPARISONS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
};
const LOGIC: Readonly<Record<string, string>> = { '&&': '||', '||': '&&' };
const ARITHMETIC: Readonly<Record<string, string>> = { '+': '-', '-': '+', '+=': '-=', '-=': '+=' };

/** The maximum number of characters of a statement to remove: a longer one is a function, and has faults of its own. */
const MAX_LENGTH = 200;

/** Calls whose arguments people read, and programs do not. */
const LOGS = /(^|\.)(log|logger|console|progress|debug|info|warn|error|fatal|stderr|stdout)(\.|\?|$)/;
const PROSE = /^(message|description|detail|title|summary|comment|reason|hint|usage)$/;

const isProse = (node: ts.Node): boolean =>
  ts.isThrowStatement(node) ||
  (ts.isNewExpression(node) && /(Error|Problem)$/.test(node.expression.getText())) ||
  (ts.isCallExpression(node) && LOGS.test(node.expression.getText())) ||
  (ts.isPropertyAssignment(node) && PROSE.test(node.name.getText()));

const isSkipped = (node: ts.Node): boolean =>
  ts.isTypeNode(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isImportDeclaration(node) ||
  ts.isExportDeclaration(node);

/** Whether it is the name of a property, or a text of several words. */
const isName = (node: ts.StringLiteralLike): boolean =>
  node.text === '' ||
  node.text.split(' ').length > 2 ||
  ((ts.isPropertyAssignment(node.parent) || ts.isMethodDeclaration(node.parent)) &&
    node.parent.name === node) ||
  (ts.isCallExpression(node.parent) && /^(require|import)/.test(node.parent.expression.getText()));

/** Whether a return statement leaves before the end: it stands in a branch. */
const isEarly = ({ parent }: ts.Node): boolean =>
  ts.isIfStatement(parent) || (ts.isBlock(parent) && ts.isIfStatement(parent.parent));

/** Every fault that can be made in a file, in the order of its lines. */
export function faultsOf(source: ts.SourceFile): Fault[] {
  const faults: Fault[] = [];
  const lines = source.text.split('\n');
  const add = (operator: string, from: number, to: number, after: string): void => {
    const { line, character } = source.getLineAndCharacterOfPosition(from);
    const place = { file: source.fileName, line: line + 1, column: character, text: lines[line] ?? '' };
    faults.push({ ...place, operator, before: source.text.slice(from, to), after });
  };
  const replace = (operator: string, node: ts.Node, after: string): void => {
    add(operator, node.getStart(), node.getEnd(), after);
  };
  const dropLast = (operator: string, nodes: ts.NodeArray<ts.Node>): void => {
    const [last, previous] = [nodes.at(-1), nodes.at(-2)];
    if (last && last.getText().length <= MAX_LENGTH)
      add(operator, previous?.getEnd() ?? last.getStart(), last.getEnd(), '');
  };
  const operate = (node: ts.BinaryExpression): void => {
    const sign = node.operatorToken.getText();
    for (const [operator, table] of Object.entries({
      comparison: COMPARISONS,
      logic: LOGIC,
      arithmetic: ARITHMETIC,
    })) {
      const after = table[sign];
      if (after !== undefined) replace(operator, node.operatorToken, after);
    }
    if (sign === '??') add('default', node.left.getEnd(), node.getEnd(), '');
  };
  const visit = (node: ts.Node): void => {
    if (isSkipped(node)) return;
    const { parent } = node;
    const isBranch = (ts.isIfStatement(parent) || ts.isWhileStatement(parent)) && parent.expression === node;
    if (isBranch || (ts.isConditionalExpression(parent) && parent.condition === node))
      replace('condition', node, `!(${node.getText()})`);
    const isRemovable =
      ts.isExpressionStatement(node) ||
      ts.isThrowStatement(node) ||
      (ts.isReturnStatement(node) && isEarly(node));
    const isLog = ts.isExpressionStatement(node) && isProse(node.expression);
    if (isRemovable && !isLog && node.getText().length <= MAX_LENGTH) replace('statement', node, ';');
    if (isProse(node)) return;
    if (ts.isBinaryExpression(node)) operate(node);
    if (ts.isNumericLiteral(node)) replace('number', node, `${Number(node.text) + 1}`);
    if (ts.isStringLiteralLike(node) && !isName(node)) replace('string', node, "''");
    if (node.kind === ts.SyntaxKind.TrueKeyword) replace('boolean', node, 'false');
    if (node.kind === ts.SyntaxKind.FalseKeyword) replace('boolean', node, 'true');
    if (ts.isCallExpression(node)) dropLast('argument', node.arguments);
    if (ts.isArrayLiteralExpression(node)) dropLast('element', node.elements);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return faults;
}

/**
 * The text of a file with a fault.
 *
 * @returns undefined if the file no longer has the line, or it no longer has that text there
 */
export function applyFault(
  text: string,
  { line, column, text: was, before, after }: Fault,
): string | undefined {
  const lines = text.split('\n');
  const places: number[] = [];
  for (let index = 0, start = 0; index < lines.length; start += (lines[index++]?.length ?? 0) + 1)
    if (lines[index] === was && text.startsWith(before, start + column)) places.push(index);
  const [nearest] = places.sort((a, b) => Math.abs(a + 1 - line) - Math.abs(b + 1 - line));
  if (nearest === undefined) return undefined;
  const at = lines.slice(0, nearest).reduce((sum, each) => sum + each.length + 1, 0) + column;
  return text.slice(0, at) + after + text.slice(at + before.length);
}
