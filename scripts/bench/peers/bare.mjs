import { createServer } from 'node:http';
import { BODY_LIMIT, createPlant, errorBody, isAuthorized, items } from './work.mjs';

// As little as does the work: no framework, no document. Of a list nothing is checked but that it is JSON.

function answer(response, status, value) {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

const isPlant = (value) =>
  typeof value === 'object' &&
  value !== null &&
  Number.isSafeInteger(value.id) &&
  typeof value.name === 'string' &&
  (value.tag === undefined || typeof value.tag === 'string');

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const ROUTES = {
  'POST /plants': (body) => (isPlant(body) ? createPlant(body) : undefined),
  'POST /items': (body) => body && { count: body.length },
  'GET /items?count=10': () => items.slice(0, 10),
  'GET /items?count=100': () => items.slice(0, 100),
  'GET /items?count=1000': () => items,
};

createServer((request, response) => {
  const refuse = (status, message) => answer(response, status, errorBody(status, message));
  const route = ROUTES[`${request.method} ${request.url}`];
  if (!route) return refuse(404, 'no such path');
  if (!isAuthorized(request.headers)) return refuse(401, 'no valid token');
  const finish = (body) => {
    const result = route(body);
    if (result) answer(response, 200, result);
    else refuse(400, 'not what is expected');
  };
  if (request.method === 'GET') return finish();
  if (request.headers['content-type'] !== 'application/json') return refuse(415, 'expected application/json');

  const chunks = [];
  let size = 0;
  request.on('data', (chunk) => {
    size += chunk.length;
    if (size > BODY_LIMIT) request.destroy();
    else chunks.push(chunk);
  });
  request.on('end', () => finish(parse(Buffer.concat(chunks).toString())));
}).listen(0, '127.0.0.1');
