import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { work } from './worker.mjs';

const require = createRequire(import.meta.url);
const { expect } = require('expect');
Object.assign(globalThis, { expect }); // the matchers are added to the global of Jest
const { default: jestOpenApi } = require('jest-openapi');

const { id, name, tag } = { id: 1, name: 'Monstera', tag: 'tropical' };
/** The requests that a team writes by hand for this API, each with the status that it expects. */
const REQUESTS = [
  ['a plant', { id, name, tag }, 200],
  ['a plant without a tag', { id: 2, name }, 200],
  ['a plant without a name', { id: 3 }, 400],
  ['a plant without an id', { name }, 400],
  ['a plant whose id is text', { id: 'one', name }, 400],
  ['no token', { id: 4, name }, 401, { Authorization: undefined }],
  ['a wrong token', { id: 4, name }, 401, { Authorization: 'Bearer a-wrong-token' }],
];

// The matcher judges the answers to these requests; it sends none and makes none.
work(async ({ document, base, headers }) => {
  jestOpenApi(JSON.parse(readFileSync(document, 'utf8')));
  const failures = [];
  for (const [title, body, status, change] of REQUESTS) {
    const sent = { 'Content-Type': 'application/json', ...headers, ...change };
    const response = await fetch(`${base}/plants`, {
      method: 'POST',
      headers: Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)),
      body: JSON.stringify(body),
    });
    const text = await response.text();
    try {
      expect(response.status).toBe(status);
      expect({
        status: response.status,
        request: { method: 'POST', path: '/plants' },
        data: JSON.parse(text),
      }).toSatisfyApiSpec();
    } catch (error) {
      failures.push(`${title}: ${error.message.split('\n')[0]}`);
    }
  }
  return failures;
});
