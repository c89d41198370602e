/** JSON as a contract sees it: numbers keep the very digits that stand on the wire. */

/** A parsed JSON or YAML document: schemas, examples, bounds. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

export const object = (json: Json | undefined): JsonObject =>
  json !== null && typeof json === 'object' && !Array.isArray(json) ? json : {};

export const list = (json: Json | undefined): Json[] => (Array.isArray(json) ? json : []);

export const word = (json: Json | undefined): string => (typeof json === 'string' ? json : '');

export const strings = (json: Json | undefined): string[] =>
  list(json).filter((entry) => typeof entry === 'string');
