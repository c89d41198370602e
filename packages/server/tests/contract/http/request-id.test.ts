import { requestIdOf } from '../../../src/contract/http/header-field';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const MADE = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

test.each<[string, Record<string, string>, string | RegExp]>([
  ['a typical id', { 'x-request-id': 'Root=1-67891233-abcdef012345678912345678' }, /^Root=1-6789/],
  ['an id of 128 characters', { 'x-request-id': 'x'.repeat(128) }, 'x'.repeat(128)],
  ['an id before a trace', { 'x-request-id': 'a', traceparent: `00-${TRACE}-00f067aa0ba902b7-01` }, 'a'],
  ['a bad id, but a trace', { 'x-request-id': '', traceparent: `00-${TRACE}-00f067aa0ba902b7-01` }, TRACE],
  ['a trace of a later version', { traceparent: `cc-${TRACE}-00f067aa0ba902b7-01-more` }, TRACE],
  ['a trace of no version', { traceparent: `ff-${TRACE}-00f067aa0ba902b7-01` }, MADE],
  ['a trace of zeros', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }, MADE],
  ['a parent of zeros', { traceparent: `00-${TRACE}-0000000000000000-01` }, MADE],
  ['a trace in upper case', { traceparent: `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01` }, MADE],
  ['two ids', { 'x-request-id': 'a, b' }, MADE],
  ['a line break', { 'x-request-id': 'a\nb' }, MADE],
  ['a line break at the end', { 'x-request-id': 'a\n' }, MADE],
  ['nothing', {}, MADE],
])('%s', (_, headers, expected) => {
  expect(requestIdOf({ headers })).toEqual(
    typeof expected === 'string' ? expected : expect.stringMatching(expected),
  );
});

test('generated ids are unique', () => {
  const ids = Array.from({ length: 1000 }, () => requestIdOf({ headers: {} }));
  expect(new Set(ids).size).toBe(1000);
});
