import type { Document, Operation } from '../document/model';
import { codecOf } from '../document/media';
import { type Slot, slots } from '../request/slots';
import { anyValueOf, branchCombinations, propertyNames } from '../schema/locations';
import type { Schemas } from '../document/direction';
import { resourcesOf, shapeOf, type Source, sourcesOf } from '../state/sources';

/** How to read back what an operation has stored. */
export interface Reader {
  readonly reader: Operation;
  /** The JSON body that is stored. */
  readonly slot: Slot;
  /** Pointer to the schema of the body that is read. */
  readonly schema: string;
  /** How the answer to a POST names what it has created; absent if the path of the request names it. */
  readonly source?: Source;
}

/**
 * The GET that shows what a POST, PUT or PATCH has stored: of the same path, or of the resource that a POST creates. Its
 * body and that of the request share properties.
 */
export function readerOf(document: Document, operation: Operation): Reader | undefined {
  const slot = slots(document, operation).find(({ body, codec }) => body && codec === 'json');
  if (!slot || !['POST', 'PUT', 'PATCH'].includes(operation.method)) return undefined;
  const shape = shapeOf(operation.path);
  for (const reader of document.operations.filter(({ method }) => method === 'GET')) {
    const source =
      operation.method === 'POST' && resourcesOf(reader).at(-1) === reader.path
        ? sourcesOf(document, reader.path).find((one) => one.creates && one.operation === operation)
        : undefined;
    if (!source && (operation.method === 'POST' || shapeOf(reader.path) !== shape)) continue;
    const schema = reader.responses
      .filter(({ status }) => status === '200' || status === '2XX')
      .flatMap(({ content }) => content.flatMap((media) => (codecOf(media.name) === 'json' ? media : [])))
      .map((media) => media.schema)
      .find((found) => found !== undefined);
    if (schema === undefined) continue;
    const read = namesOf(document.responses, schema);
    if (!namesOf(document.requests, slot.schema).some((name) => read.includes(name))) continue;
    return { reader, slot, schema, ...(source && { source }) };
  }
  return undefined;
}

/** The properties that a schema lists, in any of its branches. */
const namesOf = (schemas: Schemas, schema: string): string[] =>
  branchCombinations(schemas, anyValueOf(schema)).flatMap((found) => propertyNames(found).listed);
