import { createServer } from 'node:http';
import { accepts, BODY_LIMIT, createPlant, errorBody } from './work.mjs';

// As little as does the work: no framework, no document, everything by hand.

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

createServer((request, response) => {
  const refuse = (status, message) => answer(response, status, errorBody(status, message));
  if (request.url !== '/plants') return refuse(404, 'no such path');
  if (request.method !== 'POST') return refuse(405, 'no such method');
  const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined || !accepts(token)) return refuse(401, 'no valid token');
  if (request.headers['content-type'] !== 'application/json') return refuse(415, 'expected application/json');

  const chunks = [];
  let size = 0;
  request.on('data', (chunk) => {
    size += chunk.length;
    if (size > BODY_LIMIT) request.destroy();
    else chunks.push(chunk);
  });
  request.on('end', () => {
    const plant = parse(Buffer.concat(chunks).toString());
    if (isPlant(plant)) answer(response, 200, createPlant(plant));
    else refuse(400, 'not a plant');
  });
}).listen(0, '127.0.0.1');
