import type { Schemas } from '../document/direction';
import { escape } from '../json/pointer';
import type { Value } from '../json/value';
import { applying, type Fragment, item, type Location, members, property } from './applicable';
import type { Oracle } from './oracle';

/** A place inside a value, with everything the schema says about it. */
export interface Site {
  /** JSON pointer into the value. */
  readonly place: string;
  readonly value: Value;
  readonly fragments: readonly Fragment[];
  /** The whole value with another one at this place. */
  readonly put: (value: Value) => Value;
}

/** Every place of a value, the whole first. */
export function sites(schemas: Schemas, oracle: Oracle, schema: string, value: Value): Site[] {
  const found: Site[] = [];
  const visit = (place: string, location: Location, here: Value, put: Site['put']): void => {
    const fragments = applying(schemas, oracle, location, here);
    found.push({ place, value: here, fragments, put });
    if (Array.isArray(here)) {
      here.forEach((entry, index) => {
        const containing = members(fragments, 'contains').filter(({ pointer }) =>
          oracle.valid(pointer, entry),
        );
        const among = [...item(fragments, index), ...containing.map((sub) => ({ ...sub, certain: false }))];
        visit(`${place}/${index}`, among, entry, (next) => put(here.with(index, next)));
      });
    } else if (here instanceof Map) {
      for (const [name, member] of here) {
        visit(`${place}/${escape(name)}`, property(fragments, name), member, (next) =>
          put(new Map([...here, [name, next]])),
        );
      }
    }
  };
  visit('', [{ pointer: schema, certain: true }], value, (next) => next);
  return found;
}
