/**
 * A parsed JSON or YAML document: schemas, examples, bounds. An integer beyond 2^53 may be a bigint. For values on the wire,
 * see `Value`.
 */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

/** The node, or an empty object if it is anything but an object. */
export const asObject = (json: Json | undefined): JsonObject =>
  json !== null && typeof json === 'object' && !Array.isArray(json) ? json : {};

/** The node, or an empty array if it is anything but an array. */
export const asArray = (json: Json | undefined): Json[] => (Array.isArray(json) ? json : []);

/** The node, or an empty string if it is anything but a string. */
export const asString = (json: Json | undefined): string => (typeof json === 'string' ? json : '');

/** The strings of an array. */
export const asStrings = (json: Json | undefined): string[] =>
  asArray(json).filter((entry) => typeof entry === 'string');

/** The text of a node, to compare or to show. */
export const textOf = (json: unknown): string =>
  JSON.stringify(json, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
