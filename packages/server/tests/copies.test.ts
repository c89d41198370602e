import type * as databaseOf from 'contract-first-database';
import type * as coreOf from 'contract-first-server';
import type * as runtimeOf from 'contract-first-server/runtime';
import type * as toolsOf from 'contract-first-server/tools';

/** All that the entries of the packages export, from a copy of its own. */
function copy(): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  jest.isolateModules(() => {
    const load = (name: string): unknown => jest.requireActual(name);
    Object.assign(
      found,
      load('contract-first-database') as typeof databaseOf,
      load('contract-first-server') as typeof coreOf,
      load('contract-first-server/runtime') as typeof runtimeOf,
      load('contract-first-server/tools') as typeof toolsOf,
    );
  });
  return found;
}

type ErrorClass = abstract new () => Error;
const isErrorClass = (value: unknown): value is ErrorClass =>
  typeof value === 'function' && Reflect.get(value, 'prototype') instanceof Error;
const [one, other] = [copy(), copy()];
const names = Object.keys(one).filter((name) => isErrorClass(one[name]));
/** An instance, whatever its constructor takes. */
const instanceOf = (error: ErrorClass): Error => Object.create(error.prototype as object) as Error;

test('the copies are two', () => {
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => one[name] === other[name])).toEqual([]);
});

test.each(names)('%s of one copy is recognized by the other, and nothing else is', (name) => {
  const [mine, theirs] = [one[name], other[name]];
  if (!isErrorClass(mine) || !isErrorClass(theirs)) throw new Error('expected classes');
  expect(instanceOf(mine)).toBeInstanceOf(theirs);
  expect(new Error('another') instanceof theirs).toBe(false);
  expect((undefined as unknown) instanceof theirs).toBe(false);
  class Own extends theirs {}
  expect(instanceOf(theirs) instanceof Own).toBe(false);
  expect(instanceOf(Own) instanceof theirs).toBe(true);
  expect(instanceOf(Own) instanceof Own).toBe(true);
  for (const each of names) {
    const found = one[each];
    if (!isErrorClass(found) || found === mine) continue;
    const isAbove = Object.prototype.isPrototypeOf.call(found.prototype as object, instanceOf(mine));
    expect({ each, is: instanceOf(mine) instanceof found }).toEqual({ each, is: isAbove });
  }
});
