import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';

// The work that is the same for every peer, so that what differs is the way to it.

/** Bytes of a request body. */
export const BODY_LIMIT = 100_000;

const digest = (token) => createHash('sha256').update(token).digest();
const known = digest(process.env.API_TOKENS);

/** Whether a token is the one that is configured, in constant time. */
export const accepts = (token) => timingSafeEqual(digest(token), known);

const plants = new Map();

/** Keeps a plant in memory; the answer is the plant as the document has it. */
export function createPlant({ id, name, tag }) {
  plants.set(id, { id, name, tag });
  return { name, tag };
}

/** The Error body of the contract. */
export const errorBody = (status, message) => ({ error: status * 100, message });

/** The error handler of the peers on Express. */
export function answerError(error, _request, response, next) {
  if (response.headersSent) return next(error);
  const status = error.status ?? 500;
  response.status(status).json(errorBody(status, error.message));
}

/** A part of the document that refers to the plants of another garden. */
const inGarden = (value, garden) =>
  JSON.parse(JSON.stringify(value).replace(/schemas\/(\w*Plant)"/g, `schemas/$1${garden}"`));

/**
 * The published contract with BENCH_OPERATIONS operations, each with schemas of its own; POST /plants is the last: what
 * it costs to find an operation shows there.
 */
export function readDocument() {
  const path = new URL('../../../../generated/openapi.json', import.meta.url);
  const document = JSON.parse(readFileSync(path, 'utf8'));
  const { paths, components } = document;
  const { post } = paths['/plants'];
  document.paths = {};
  for (let garden = 1; garden < Number(process.env.BENCH_OPERATIONS ?? 1); garden++) {
    const { Plant, NewPlant } = components.schemas;
    components.schemas[`Plant${garden}`] = Plant;
    components.schemas[`NewPlant${garden}`] = inGarden(NewPlant, garden);
    const operation = { ...inGarden(post, garden), operationId: `createPlant${garden}` };
    document.paths[`/gardens${garden}/plants`] = { post: operation };
  }
  document.paths['/plants'] = paths['/plants'];
  return document;
}

/** A handler for each operation of a document, by operationId. */
export const forEachOperation = (document, handler) =>
  Object.fromEntries(Object.values(document.paths).map(({ post }) => [post.operationId, handler]));
