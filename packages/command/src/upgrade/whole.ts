/** An import of a module as a whole. */
import type TypeScript from 'typescript';
import type { Compiler } from './entries';
import type { Asked, Rewriting } from './rewriting';

export const isIdentifier = (ts: Compiler, node: unknown): node is TypeScript.Identifier =>
  typeof node === 'object' && node !== null && 'kind' in node && node.kind === ts.SyntaxKind.Identifier;

/**
 * Names the entry that has all the names that are asked of the module as a whole, or else its successor.
 *
 * @param isUsed whether the file uses the module, and does not only run it
 */
export function whole(
  rewriting: Rewriting,
  literal: TypeScript.Node | undefined,
  asked: readonly Asked[],
  isUsed = true,
): boolean {
  const moved = rewriting.moved(literal);
  if (moved === undefined || literal === undefined || !rewriting.ts.isStringLiteralLike(literal))
    return false;
  const places = asked.map((one) => ({ ...one, place: moved.find(one.name) }));
  const known = places.flatMap(({ place }) => (place ? [place.entry] : []));
  const [entry = moved.successor, ...others] = new Set(known);
  const target = others.length === 0 ? entry : moved.successor;
  for (const { place, ...one } of places)
    if (place === undefined) rewriting.leaveUnknown(moved, one);
    else if (place.entry !== target) rewriting.leave(one.node, `${place.name} is in ${place.entry}`);
    else if (isIdentifier(rewriting.ts, one.node))
      rewriting.replace(rewriting.startOf(one.node), one.node.end, place.name);
  if (isUsed && asked.length === 0 && moved.all.length > 1 && !moved.all.includes(moved.entry))
    rewriting.leave(literal, `what it uses may be in another entry: ${moved.all.join(', ')}`);
  rewriting.setEntry(literal, target);
  return literal.text !== target;
}
