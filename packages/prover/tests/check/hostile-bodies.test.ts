import { setFlagsFromString } from 'node:v8';
import { expectSuccess } from '../../src/cases/case';
import { createCheck } from '../../src/check/check';
import { createOracle } from '../../src/schema/oracle';
import { correctServer, target } from '../support/simple-server';
import { cases } from '../../../../scripts/testing/cases';
import { inJson, read } from '../support/document';

const schema = { type: ['array', 'string'], items: { type: 'integer', minimum: 2 } };
const { document, operation } = read({
  get: { responses: { 200: { description: 'large', content: inJson(schema) } } },
});
const oracles = { strict: createOracle(document.responses), lenient: [] };
const check = createCheck(document, oracles, { ...target(correctServer), profile: 'document' });

// As in a process that has compiled many patterns: then V8 optimizes no further ones.
setFlagsFromString('--no-regexp-optimization');
afterAll(() => {
  setFlagsFromString('--regexp-optimization');
});

/** Bytes. */
const LARGE = cases(500_000, 1_500_000);
const LARGEST = 9_900_000;
const repeated = (text: string, before = '', after = '', size = LARGE): string =>
  `${before}${text.repeat((size - before.length - after.length) / text.length)}${after}`;

test.each<[name: string, body: string, expected: RegExp | undefined]>([
  ['a long string', repeated('x', '"', '"', LARGEST), undefined],
  ['a long string of escapes', repeated('\\u0041', '"', '"'), undefined],
  ['line ends', repeated('\n', '', '', LARGEST), /^expected JSON in UTF-8, got/],
  ['spaces', repeated(' ', '\n', '', LARGEST), /^expected JSON in UTF-8, got/],
  ['open arrays', repeated('['), /^expected JSON in UTF-8, got/],
  ['nested arrays', `${'['.repeat(LARGE / 2)}${']'.repeat(LARGE / 2)}`, /too large or too deep to judge/],
  ['many wrong numbers', repeated('1,', '[', '1]'), /#\/0 1 is less than 2/],
  ['many wrong strings', repeated('"",', '[', '""]'), /^expected a body that fits/],
  ['one long number', repeated('9'), /^expected a body that fits/],
  ['a large exponent', '1e999999999', /^expected a body that fits/],
  ['bytes that are not UTF-8', repeated('\u0080'), /^expected JSON in UTF-8, got/],
])('a body of %s is checked, in a sentence of the prover', (_, text, expected) => {
  const request = { method: 'GET', target: '/things', headers: [] };
  const headers = [['Content-Type', 'application/json']] as const;
  const sent = { family: 'valid', title: '', operation, request, expect: expectSuccess, proves: [] } as const;
  const { problems } = check(sent, { status: 200, headers, body: Buffer.from(text, 'latin1') }, undefined);
  if (expected) expect(problems[0]).toMatch(expected);
  else expect(problems).toEqual([]);
  for (const problem of problems) expect(problem).not.toMatch(/(?:Syntax|Range|Type)Error/);
});
