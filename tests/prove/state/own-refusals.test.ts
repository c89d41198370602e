import { type Case, expectRefusal, expectSuccess } from '../../../scripts/prove/cases/case';
import { readDocument } from '../../../scripts/prove/document/reader';
import { createOwnRefusals } from '../../../scripts/prove/state/own-refusals';

const [operation] = readDocument({
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  paths: { '/things': { post: { operationId: 'addThing', responses: { 204: { description: 'added' } } } } },
}).operations;

function sent(expect: Case['expect']): Case {
  if (!operation) throw new Error('expected an operation');
  const request = { method: 'POST', target: '/things', headers: [] };
  return { family: 'valid', title: '', operation, request, expect, proves: [] };
}

const answer = (status: number, error: number) => ({
  status,
  headers: [['Content-Type', 'application/json']] as const,
  body: Buffer.from(`{"error":${error}}`),
});

test.each([
  [400, 40002, true],
  [409, 40900, true],
  [400, 40001, false],
  [415, 41500, false],
  [401, 40100, false],
])(
  'a valid request answered %d with the code %d is refused by the service itself: %s',
  (status, code, isOwn) => {
    const refusals = createOwnRefusals();
    refusals.learn(sent(expectRefusal('invalid request')), answer(400, 40001));
    expect(refusals.reason(sent(expectSuccess), answer(status, code)) !== undefined).toBe(isOwn);
  },
);
