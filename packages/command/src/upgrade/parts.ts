/** Names of 2.0.0 beside those of imports: the parts of a service, and the profile of the contract tests. */
import type TypeScript from 'typescript';
import type { Rewriting } from './rewriting';

/** `openStore` of `runService` and `serviceTarget` is `open`, and the profile `house` is `strict`. */
export function rewriteParts(rewriting: Rewriting): void {
  const { ts, source } = rewriting;
  // A file that imports neither has other things of these names.
  const callers = new Set(localNames(rewriting, ['runService', 'serviceTarget']));
  const isProver =
    source.text.includes('contract-first-server/testing') || source.text.includes('contract-first-prover');
  const visit = (node: TypeScript.Node): void => {
    ts.forEachChild(node, visit);
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && callers.has(node.expression.text))
      for (const argument of node.arguments.slice(0, 1)) renameOpenStore(rewriting, argument);
    if (isProver && ts.isPropertyAssignment(node)) {
      const { name, initializer: value } = node;
      if (
        ts.isIdentifier(name) &&
        name.text === 'profile' &&
        ts.isStringLiteral(value) &&
        value.text === 'house'
      )
        rewriting.replace(rewriting.startOf(value) + 1, value.end - 1, 'strict');
    }
  };
  visit(source);
}

/** What names of the packages are called in the file. */
function localNames({ ts, source }: Rewriting, wanted: readonly string[]): string[] {
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    const bindings = statement.importClause?.namedBindings;
    if (
      !bindings ||
      !ts.isNamedImports(bindings) ||
      !statement.moduleSpecifier.text.startsWith('contract-first-')
    )
      return [];
    return bindings.elements.flatMap(({ propertyName, name }) =>
      wanted.includes((propertyName ?? name).text) ? [name.text] : [],
    );
  });
}

function renameOpenStore(rewriting: Rewriting, argument: TypeScript.Expression): void {
  const { ts, source } = rewriting;
  if (!ts.isObjectLiteralExpression(argument)) {
    if (source.text.includes('openStore'))
      rewriting.leave(argument, 'if it has a property openStore, rename it to open');
    return;
  }
  for (const property of argument.properties) {
    const { name } = property;
    if (!name || !ts.isIdentifier(name) || name.text !== 'openStore') continue;
    const now = ts.isShorthandPropertyAssignment(property) ? 'open: openStore' : 'open';
    rewriting.replace(rewriting.startOf(name), name.end, now);
  }
}
