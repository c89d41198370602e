/** JSON as a contract sees it: numbers keep the very digits that stand on the wire. */

/** A parsed JSON or YAML document: schemas, examples, bounds. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

export const asObject = (json: Json | undefined): JsonObject =>
  json !== null && typeof json === 'object' && !Array.isArray(json) ? json : {};

export const asArray = (json: Json | undefined): Json[] => (Array.isArray(json) ? json : []);

export const asString = (json: Json | undefined): string => (typeof json === 'string' ? json : '');

export const asStrings = (json: Json | undefined): string[] =>
  asArray(json).filter((entry) => typeof entry === 'string');
