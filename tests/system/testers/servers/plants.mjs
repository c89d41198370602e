import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

// The same in each server of the plant contract: the document, its only token, and the domain.

export const port = Number(process.env.PORT);
export const document = parse(
  readFileSync(join(import.meta.dirname, '../../../../openapi/plant-store.yaml'), 'utf8'),
);

export const isKnown = (token) => token === process.env.TOKEN;

/** The Error body of the contract. */
export const errorBody = (status, message) => ({ error: status * 100, message });

const plants = new Map();

/** The response to a valid request: [status, body]. */
export function createPlant({ id, name, tag }) {
  const stored = plants.get(id);
  if (stored !== undefined && (stored.name !== name || stored.tag !== tag)) {
    return [400, errorBody(400, `id ${id} already names another plant`)];
  }
  plants.set(id, { name, tag });
  return [200, { name, tag }];
}
