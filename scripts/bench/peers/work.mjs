import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';

// The work that is the same for every server, so that what differs is the way to it.

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** The document that the bench serves, and the items of its lists. */
export const document = read(process.env.BENCH_DOCUMENT);
export const items = read(process.env.BENCH_ITEMS);

/** Bytes of a request body. */
export const BODY_LIMIT = 1_000_000;

const digest = (token) => createHash('sha256').update(token).digest();
const known = digest(process.env.API_TOKENS);

/** Whether a token is the one that is configured, in constant time. */
export const accepts = (token) => timingSafeEqual(digest(token), known);

/** Whether the Authorization header of a request presents it. */
export function isAuthorized({ authorization = '' }) {
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  return token !== undefined && accepts(token);
}

const plants = new Map();

/** Keeps a plant in memory; the answer is the plant as the document has it. */
export function createPlant({ id, name, tag }) {
  plants.set(id, { id, name, tag });
  return { name, tag };
}

/** The work of each operation, by the start of its operationId: (query, body) => body of the response. */
const WORK = {
  'post /plants': (_query, body) => createPlant(body),
  'get /items': ({ count }) => items.slice(0, Number(count)),
  'post /items': (_query, body) => ({ count: body.length }),
};

/** Each operation of the document as [path, method, operationId, work]. */
export const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { operationId }]) => {
    if (operationId === undefined) return []; // a member of the path item that is no operation
    const work = WORK[`${method} ${path.replace(/^\/gardens\d+/, '')}`];
    return [[path, method, operationId, work ?? (() => undefined)]];
  }),
);

/** A handler for each operation, by operationId. */
export const handlersOf = (handler) =>
  Object.fromEntries(operations.map(([, , operationId, work]) => [operationId, handler(work)]));

/** The Error body of the contract. */
export const errorBody = (status, message) => ({ error: status * 100, message });

/** The error handler of the servers on Express. */
export function answerError(error, _request, response, next) {
  if (response.headersSent) return next(error);
  const status = error.status ?? 500;
  response.status(status).json(errorBody(status, error.message));
}
