import fc from 'fast-check';
import { classesOf, isOf } from '../../src/breaking/classes';
import { joinPointer } from 'contract-first-server/tools';

const names = fc.constantFrom('paths', '/a', '/b', '/a: b', 'get', 'put', '*/*', '~', 'components');
const messages = fc.constantFrom(
  'the header X is new',
  'the header Y is new',
  'in requests: type was 1, is 2',
  'GET /a: requests with nothing are refused now',
  'GET /b: requests with nothing are refused now',
);
const change = fc
  .tuple(fc.array(names, { maxLength: 4 }), messages, fc.boolean())
  .map(([steps, message, breaking]) => ({ pointer: joinPointer('', ...steps), message, breaking }));
const changes = fc.uniqueArray(change, {
  maxLength: 40,
  selector: ({ pointer, message }) => `${pointer} ${message}`,
});

test('the classes of changes are all of them, and the text of each stands for its own and no others', () => {
  fc.assert(
    fc.property(changes, (all) => {
      const classes = classesOf(all);
      expect(new Set(classes.flatMap((one) => one.changes))).toEqual(new Set(all));
      for (const { text, breaking, changes: own } of classes)
        expect(all.filter((one) => one.breaking === breaking && isOf(text, one))).toEqual(own);
    }),
  );
});

test.each([
  ['#/paths/*/get: gone', '/paths/~1a/get', true],
  ['#/paths/*/get: gone', '/paths/~1a/put', false],
  ['#/paths/*/get: gone', '/paths/~1a/get/responses', false],
  ['#/paths/*/*: gone', '/paths/~1a/get', true],
  ['#/*: gone', '/paths/~1a/get', false],
  ['#/paths/*/get: gon', '/paths/~1a/get', false],
  ['#/paths/**: gone', '/paths/~1a', false],
  ['#/paths/*/get: *', '/paths/~1a/get', false],
  ['*', '/paths/~1a/get', false],
])('%s stands for a change at %s: %s', (text, pointer, is) => {
  expect(isOf(text, { pointer, message: 'gone', breaking: true })).toBe(is);
});
