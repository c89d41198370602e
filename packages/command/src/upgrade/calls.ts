/** The calls that load a module, or name it: `import()`, `require()`, `jest.mock()`. */
import type TypeScript from 'typescript';
import type { Compiler, Moved } from './entries';
import type { Asked, Rewriting } from './rewriting';
import { whole } from './whole';

/** @returns whether the call names a module by another name now */
export function call(rewriting: Rewriting, node: TypeScript.CallExpression): boolean {
  const { ts } = rewriting;
  const { expression: callee } = node;
  const [literal, factory] = node.arguments;
  const moved = rewriting.moved(literal);
  if (moved === undefined || literal === undefined) return false;
  const root = ts.isPropertyAccessExpression(callee) ? callee.expression : callee;
  const isImport = callee.kind === ts.SyntaxKind.ImportKeyword;
  if (!isImport && !(ts.isIdentifier(root) && /^(require|jest|vi)$/.test(root.text))) return false;
  const made = factory !== undefined && !isImport ? factory : factoryAround(rewriting, node, moved);
  if (made) return whole(rewriting, literal, keysOf(ts, made));
  const declaration = declarationOf(ts, node);
  if (declaration && splitDeclaration(rewriting, declaration, node, moved)) return true;
  return whole(rewriting, literal, askedOf(rewriting, node, declaration));
}

/** The factory of the `jest.mock` of this module in which a call stands: it takes over the rest of the module. */
function factoryAround(
  { ts }: Rewriting,
  node: TypeScript.Node,
  { entry }: Moved,
): TypeScript.Expression | undefined {
  for (let above = node.parent; !ts.isSourceFile(above); above = above.parent) {
    if (!ts.isCallExpression(above)) continue;
    const [literal, factory] = above.arguments;
    if (literal && factory && ts.isStringLiteralLike(literal) && literal.text === entry) return factory;
  }
  return undefined;
}

/** The names that a factory of `jest.mock` makes. */
function keysOf(ts: Compiler, factory: TypeScript.Expression): Asked[] {
  if (!ts.isArrowFunction(factory)) return [];
  const body = ts.isParenthesizedExpression(factory.body) ? factory.body.expression : factory.body;
  if (!ts.isObjectLiteralExpression(body)) return [];
  return body.properties.flatMap(({ name }) =>
    name && ts.isIdentifier(name) && name.text !== '__esModule' ? [{ name: name.text, node: name }] : [],
  );
}

/** The expression with what only awaits it, or gives it another type. */
function outermost(ts: Compiler, node: TypeScript.Expression): TypeScript.Expression {
  const { parent } = node;
  const isShell =
    ts.isAwaitExpression(parent) ||
    ts.isParenthesizedExpression(parent) ||
    ts.isAsExpression(parent) ||
    ts.isSatisfiesExpression(parent) ||
    ts.isNonNullExpression(parent);
  return isShell ? outermost(ts, parent) : node;
}

function declarationOf(
  ts: Compiler,
  node: TypeScript.CallExpression,
): TypeScript.VariableDeclaration | undefined {
  const { parent } = outermost(ts, node);
  return ts.isVariableDeclaration(parent) ? parent : undefined;
}

/** The names that are read of what a call loads. */
function askedOf(
  rewriting: Rewriting,
  node: TypeScript.CallExpression,
  declaration: TypeScript.VariableDeclaration | undefined,
): Asked[] {
  const { ts } = rewriting;
  if (declaration) return boundBy(rewriting, declaration.name);
  const { parent } = outermost(ts, node);
  if (!ts.isPropertyAccessExpression(parent)) return [];
  if (parent.name.text !== 'then') return [{ name: parent.name.text, node: parent.name }];
  const then = ts.isCallExpression(parent.parent) ? parent.parent.arguments[0] : undefined;
  const parameter = then && ts.isArrowFunction(then) ? then.parameters[0] : undefined;
  return parameter ? boundBy(rewriting, parameter.name) : [];
}

function boundBy(rewriting: Rewriting, name: TypeScript.BindingName): Asked[] {
  const { ts } = rewriting;
  if (ts.isIdentifier(name)) return rewriting.membersOf(name.text);
  if (!ts.isObjectBindingPattern(name)) return [];
  return name.elements.flatMap(({ propertyName, name: local }) => {
    const asked = propertyName ?? local;
    return ts.isIdentifier(asked) ? [{ name: asked.text, node: asked }] : [];
  });
}

/** `const { a, b } = require(...)` whose names are in several entries now: a declaration for each. */
function splitDeclaration(
  rewriting: Rewriting,
  declaration: TypeScript.VariableDeclaration,
  node: TypeScript.CallExpression,
  moved: Moved,
): boolean {
  const { ts } = rewriting;
  const { name: pattern, initializer } = declaration;
  if (!ts.isObjectBindingPattern(pattern) || !initializer) return false;
  const groups = new Map<string, string[]>();
  for (const { propertyName, name, dotDotDotToken, end } of pattern.elements) {
    const asked = propertyName ?? name;
    if (dotDotDotToken || !ts.isIdentifier(asked)) return false;
    const place = moved.find(asked.text);
    if (place !== undefined && place.name !== asked.text) return false;
    const entry = place?.entry ?? moved.successor;
    groups.set(entry, [
      ...(groups.get(entry) ?? []),
      rewriting.textOf(asked.getStart(rewriting.source), end),
    ]);
  }
  if (groups.size < 2) return false;
  const [literal] = node.arguments;
  if (!literal) return false;
  const [start, end] = [rewriting.startOf(literal) + 1, literal.end - 1];
  const declarations = [...groups].map(
    ([entry, names]) =>
      `{ ${names.join(', ')} } = ${rewriting.textOf(rewriting.startOf(initializer), start)}${entry}${rewriting.textOf(end, initializer.end)}`,
  );
  rewriting.replace(rewriting.startOf(declaration), declaration.end, declarations.join(', '));
  return true;
}
