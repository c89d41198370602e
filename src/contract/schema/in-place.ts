import { below, isObject, members, type OpenApiDocument } from '../document/document';
import type { Discriminators } from './discriminator';

/**
 * The references that lead back to themselves without going into a property or an item: a value would be judged by them
 * for ever (JSON Schema 2020-12 section 9.4.1). A discriminator may lead back, since its property names another schema.
 *
 * @param targets what references lead to
 */
export function inPlaceCycles(
  document: OpenApiDocument,
  targets: Iterable<string>,
  discriminators: Discriminators,
): string[] {
  const cycles: string[] = [];
  const entered = new Map<string, 'open' | 'done'>();
  const visit = (pointer: string): void => {
    const schema = document.at(pointer);
    if (!isObject(schema) || entered.get(pointer) === 'done') return;
    entered.set(pointer, 'open');
    const target = '$ref' in schema ? document.resolve(schema['$ref']) : undefined;
    if (target !== undefined) {
      if (entered.get(target) === 'open') cycles.push(below(pointer, '$ref'));
      else visit(target);
    }
    const chosen = discriminators.at(pointer, schema)?.keyword;
    for (const keyword of ['allOf', 'anyOf', 'oneOf'].filter((name) => name !== chosen)) {
      for (const i of [schema[keyword] ?? []].flat().keys()) visit(below(pointer, keyword, i));
    }
    for (const keyword of ['not', 'if', 'then', 'else']) visit(below(pointer, keyword));
    for (const [name] of members(schema['dependentSchemas'])) visit(below(pointer, 'dependentSchemas', name));
    entered.set(pointer, 'done');
  };
  for (const target of targets) visit(target);
  return cycles;
}
