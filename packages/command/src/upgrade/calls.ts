/** The calls that load a module, or name it: `import()`, `require()`, `jest.mock()`. */
import type TypeScript from 'typescript';
import type { Compiler, Moved } from './entries';
import type { Asked, Rewriting } from './rewriting';
import { whole } from './whole';

/** @returns whether the call names a module by another name now */
export function call(rewriting: Rewriting, node: TypeScript.CallExpression): boolean {
  const { ts } = rewriting;
  const { expression: callee } = node;
  const [literal] = node.arguments;
  const moved = rewriting.moved(literal);
  if (moved === undefined || literal === undefined) return false;
  const root = ts.isPropertyAccessExpression(callee) ? callee.expression : callee;
  const isImport = callee.kind === ts.SyntaxKind.ImportKeyword;
  if (!isImport && !(ts.isIdentifier(root) && /^(require|jest|vi)$/.test(root.text))) return false;
  const declaration = declarationOf(ts, node);
  if (declaration && splitDeclaration(rewriting, declaration, moved)) return true;
  return whole(rewriting, literal, askedAt(rewriting, node, moved));
}

/**
 * The names that are asked of a module where a node stands: by the outermost call that names the module. A factory of
 * `jest.mock` takes over the rest of the module, and a call may have its type as an argument.
 */
export function askedAt(rewriting: Rewriting, node: TypeScript.Node, { entry }: Moved): readonly Asked[] {
  const { ts } = rewriting;
  let outermostCall: TypeScript.CallExpression | undefined;
  for (let at = node; !ts.isSourceFile(at); at = at.parent) {
    const [literal] = ts.isCallExpression(at) ? at.arguments : [];
    if (ts.isCallExpression(at) && literal && ts.isStringLiteralLike(literal) && literal.text === entry)
      outermostCall = at;
  }
  if (outermostCall === undefined) return [];
  const [, factory] = outermostCall.arguments;
  return factory && outermostCall.expression.kind !== ts.SyntaxKind.ImportKeyword
    ? keysOf(ts, factory)
    : askedOf(rewriting, outermostCall, declarationOf(ts, outermostCall));
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
    if (place?.name !== asked.text) return false;
    groups.set(place.entry, [
      ...(groups.get(place.entry) ?? []),
      rewriting.textOf(asked.getStart(rewriting.source), end),
    ]);
  }
  if (groups.size < 2) return false;
  // The type of the module may stand beside the call.
  const parts = rewriting.textOf(rewriting.startOf(initializer), initializer.end).split(moved.entry);
  const declarations = [...groups].map(([entry, names]) => `{ ${names.join(', ')} } = ${parts.join(entry)}`);
  rewriting.replace(rewriting.startOf(declaration), declaration.end, declarations.join(', '));
  return true;
}
