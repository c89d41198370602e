import { isObject, type OpenApiDocument } from '../document/document';
import { inPlace } from '../document/subschemas';
import type { Discriminators } from './discriminator';

/**
 * Finds the references that lead back to themselves without a step into a property or an item. Judging by them would not
 * end (JSON Schema 2020-12, core, section 9.4.1). A discriminator may lead back: its property names another schema.
 *
 * @param targets the targets of all references
 */
export function inPlaceCycles(
  document: OpenApiDocument,
  targets: Iterable<string>,
  discriminators: Discriminators,
): readonly string[] {
  const chosen = new Map<string, string | undefined>();
  const { cycles } = document.subschemas.traverse(targets, (subschema, from) => {
    if (subschema.relation !== 'negated' && !inPlace(subschema, from)) return false;
    const schema = document.at(from);
    if (!chosen.has(from) && isObject(schema)) chosen.set(from, discriminators.at(from, schema)?.keyword);
    return chosen.get(from) !== subschema.keyword;
  });
  return cycles;
}
