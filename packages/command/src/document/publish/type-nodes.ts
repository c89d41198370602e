/** What the types of a document need beyond what a generator writes: words of OpenAPI 3.2, and recursive lists. */
import ts from 'typescript';
import { FURTHER, WHOLE } from './later-words';
import { reachedFrom } from './plain-schemas';

const { factory } = ts;

/** Writes the types of a document in words of 3.1 as those of the document. */
export function withLaterTypes(nodes: readonly ts.Node[]): ts.Node[] {
  return rewritten(nodes, (one, inner) => {
    if (!ts.isPropertySignature(one)) return inner(one);
    const name = nameOf(one.name);
    if (name.startsWith('/') && name.includes(FURTHER)) return undefined;
    const [whole] = name === 'query' && one.type && ts.isTypeLiteralNode(one.type) ? one.type.members : [];
    if (!whole || !ts.isPropertySignature(whole) || nameOf(whole.name) !== WHOLE || !whole.type)
      return inner(one);
    const absent = factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword);
    const type = whole.questionToken ? factory.createUnionTypeNode([whole.type, absent]) : whole.type;
    return factory.updatePropertySignature(one, one.modifiers, one.name, undefined, type);
  });
}

type Rewrite = (node: ts.Node, inner: (node: ts.Node) => ts.Node) => ts.Node | undefined;

/** Nodes, of which `rewrite` replaces some; `inner` goes on within one. */
function rewritten(nodes: readonly ts.Node[], rewrite: Rewrite): ts.Node[] {
  const { transformed } = ts.transform(
    [...nodes],
    [
      (context) => (root) => {
        const visit = (node: ts.Node): ts.Node | undefined =>
          rewrite(node, (one) => ts.visitEachChild(one, visit, context));
        return ts.visitNode(root, visit) ?? root;
      },
    ],
  );
  return transformed;
}

const nameOf = (name: ts.Node): string =>
  ts.isIdentifier(name) || ts.isStringLiteral(name) || ts.isNumericLiteral(name) ? name.text : '';

/**
 * Gives an alias to the type of each component that has lists of itself: a list of the type of a property may not refer to
 * that property, a list of an alias may refer to the alias.
 */
export function withRecursion(nodes: readonly ts.Node[]): ts.Node[] {
  const components = nodes.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === 'components');
  const [schemas] = components && ts.isInterfaceDeclaration(components) ? components.members : [];
  if (!schemas || !ts.isPropertySignature(schemas) || !schemas.type || !ts.isTypeLiteralNode(schemas.type))
    return [...nodes];
  const types = new Map(
    schemas.type.members.flatMap((one) =>
      ts.isPropertySignature(one) && one.type ? [[nameOf(one.name), one.type] as const] : [],
    ),
  );
  const graph = new Map([...types].map(([name, type]) => [name, componentsIn(type)]));
  const names = [...types.keys()].filter((name) => reachedFrom(name, graph).has(name));
  const aliases = new Map(
    names.map((name, i) => [name, factory.createTypeReferenceNode(`Recursive${i + 1}`)]),
  );
  const referring = (node: ts.Node) =>
    rewritten([node], (one, inner) => aliases.get(componentOf(one) ?? '') ?? inner(one))[0];
  const declared = [...aliases].flatMap(([name, { typeName }]) => {
    const type = referring(types.get(name) ?? typeName);
    return type && ts.isTypeNode(type) && ts.isIdentifier(typeName)
      ? [factory.createTypeAliasDeclaration(undefined, typeName, undefined, type)]
      : [];
  });
  const aliased = new Map(names.map((name) => [types.get(name), aliases.get(name)]));
  const named = rewritten(
    nodes,
    (one, inner) => (ts.isTypeNode(one) ? aliased.get(one) : undefined) ?? inner(one),
  );
  return [...named, ...declared];
}

/** The components that a type refers to. The type of a property of an object may refer to anything. */
const componentsIn = (type: ts.Node): string[] => {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = componentOf(node);
    if (name !== undefined) found.push(name);
    else if (!ts.isTypeLiteralNode(node)) ts.forEachChild(node, visit);
  };
  visit(type);
  return found;
};

/** The name in `components["schemas"][name]`. */
const componentOf = (node: ts.Node): string | undefined =>
  ts.isIndexedAccessTypeNode(node) &&
  ts.isIndexedAccessTypeNode(node.objectType) &&
  ts.isTypeReferenceNode(node.objectType.objectType) &&
  nameOf(node.objectType.objectType.typeName) === 'components' &&
  literalOf(node.objectType.indexType) === 'schemas'
    ? literalOf(node.indexType)
    : undefined;

const literalOf = (node: ts.Node): string | undefined =>
  ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal) ? node.literal.text : undefined;
