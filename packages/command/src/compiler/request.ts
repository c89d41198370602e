/** Sentences about names in handlers that the document does not have: of parameters, and of components. */
import ts from 'typescript';
import { either, propertyOf } from './response';

export type Callback = ts.ArrowFunction | ts.FunctionExpression;

/** The names of symbols. */
export const named = (symbols: readonly ts.Symbol[]): string[] => symbols.map(({ name }) => name);

/** About a name of `components` that the document does not have. */
export function aboutSchema(
  checker: ts.TypeChecker,
  path: readonly ts.Node[],
  here: ts.Node,
): string | undefined {
  const access = path.findLast(ts.isIndexedAccessTypeNode);
  if (!access?.objectType.getText().startsWith('components[')) return undefined;
  const names = named(checker.getTypeFromTypeNode(access.objectType).getProperties());
  const got = nameOf(here);
  return `the document has no ${access.objectType.getText()}['${got}']: expected ${either(names.slice(0, MOST_NAMES))}, or the name in openapi/`;
}

/** A name in the code, without quotes. */
const nameOf = (node: ts.Node): string => node.getText().replace(/^['"]|['"]$/g, '');

/** The most names in a sentence. */
const MOST_NAMES = 12;

/** About a part of a request that the document does not have. */
export function aboutRequest(
  checker: ts.TypeChecker,
  handler: Callback,
  here: ts.Node,
  id: string,
): string | undefined {
  const [request] = checker.getContextualType(handler)?.getCallSignatures()[0]?.getParameters() ?? [];
  const type = request && checker.getTypeOfSymbolAtLocation(request, handler);
  const owner = ownerOf(checker, here);
  if (!type || !owner) return undefined;
  if (checker.getAwaitedType(owner) !== owner)
    return `${id}: ${here.getText()} reads a property of a promise: write await where its value comes from`;
  const name = nameOf(here);
  for (const part of ['path', 'query', 'header', 'cookie']) {
    const known = propertyOf(checker, type, part, handler);
    if (known !== owner) continue;
    const names = named(owner.getProperties());
    const expected = names.length > 0 ? `expected ${either(names)}` : 'it has none';
    return `${id}: the document has no ${part} parameter ${name}: ${expected}, or the parameter in openapi/`;
  }
  return undefined;
}

/** The type of which a name is a property: of what stands before its dot, or of what is taken apart. */
function ownerOf(checker: ts.TypeChecker, { parent }: ts.Node): ts.Type | undefined {
  if (ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent))
    return checker.getTypeAtLocation(parent.expression);
  if (!ts.isBindingElement(parent)) return undefined;
  const holder = parent.parent.parent;
  if (ts.isVariableDeclaration(holder))
    return holder.initializer && checker.getTypeAtLocation(holder.initializer);
  if (ts.isParameter(holder)) return checker.getTypeAtLocation(holder);
  const outer = ownerOf(checker, holder.propertyName ?? holder.name);
  const name = (holder.propertyName ?? holder.name).getText();
  return outer && propertyOf(checker, outer, name, holder);
}
