import type { Extensions, Operation, Document } from '../../src/document/model';
import { readDocument } from '../../src/document/reader';
import type { JsonObject } from '../../src/json/tree';

/** An OpenAPI 3.1 document of these paths, and what else it has. */
export const documentOfPaths = (paths: JsonObject, others: object = {}): JsonObject => ({
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  ...others,
  paths,
});

/** A document with one operation; the path has a template if the operation needs one. */
export const documentOf = (operation: object, others: object = {}, path = '/things'): JsonObject =>
  documentOfPaths({ [path]: operation as JsonObject }, others);

/** {@link documentOf}, read. */
export function read(
  operation: object,
  others: object = {},
  path = '/things',
  extensions: Extensions = {},
): { readonly document: Document; readonly operation: Operation } {
  const document = readDocument(documentOf(operation, others, path), extensions);
  const [first] = document.operations;
  if (!first) throw new Error('expected an operation');
  return { document, operation: first };
}

/** The content of a body in JSON. */
export const inJson = (schema: JsonObject) => ({ 'application/json': { schema } });
