import ts from 'typescript';

/** The keywords of TypeScript, among them all of ECMAScript in strict mode and all that a later version reserves. */
export const KEYWORDS: readonly string[] = Object.values(ts.SyntaxKind).flatMap((kind) =>
  typeof kind === 'number' && kind >= ts.SyntaxKind.FirstKeyword && kind <= ts.SyntaxKind.LastKeyword
    ? (ts.tokenToString(kind) ?? [])
    : [],
);
