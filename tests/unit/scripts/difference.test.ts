import { differences } from '../../../scripts/publish/differences';

const KEYS = ['a', '', '/', '~', '~1', '/exhibits/{exhibitId}', 'application/json', 'a~/b', 'ä', '%2F', '0'];

/** The value at a JSON pointer (RFC 6901 section 4). */
const at = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((found: unknown, step) => Reflect.get(found as object, step), value);

it.each(KEYS.flatMap((outer) => KEYS.map((inner) => [outer, inner])))(
  'the place of a difference at %j, %j is a JSON pointer',
  (outer, inner) => {
    const document = { same: [1], [outer]: { same: {}, [inner]: 'here' } };
    const found = [...differences({ same: [1], [outer]: { same: {} } }, document)];
    expect(found).toEqual([{ pointer: expect.any(String) as string, was: undefined, is: 'here' }]);
    expect(at(document, found[0]?.pointer ?? '')).toBe('here');
  },
);
