import { type Case, expectRefusal, expectSuccess } from '../../src/cases/case';
import { createServiceRejections } from '../../src/state/service-rejections';
import { read } from '../support/document';

const { operation } = read({ post: { operationId: 'addThing', responses: {} } });

function sent(expect: Case['expect']): Case {
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
    const refusals = createServiceRejections();
    refusals.learn(sent(expectRefusal('invalid request')), answer(400, 40001));
    expect(refusals.reason(sent(expectSuccess), answer(status, code)) !== undefined).toBe(isOwn);
  },
);
