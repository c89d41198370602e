import { markOf } from '../document/direction';
import { brief } from '../json/value';
import { constraintKey } from '../obligations';
import type { Slot } from '../request/slots';
import { constraints } from '../schema/constraints';
import { witnesses } from '../schema/probes';
import { authorised, type Case, type Context, refused } from './case';

/** What goes the other way only, wherever the schema marks it. */
export function markedCases(context: Context, slot: Slot): Case[] {
  const { document, oracle, operation } = context;
  const mark = markOf(document.requests);
  const marks = constraints(document.requests, slot.schema).filter(({ keyword }) => keyword === mark);
  return marks.flatMap(({ pointer }) =>
    witnesses(document.requests, oracle, slot.schema, pointer)
      .filter((value) => {
        const read = slot.read(value);
        return read !== undefined && oracle.decides(slot.schema, read) && !oracle.valid(slot.schema, read);
      })
      .slice(0, 2)
      .map((value): Case => ({
        family: 'constraints',
        title: `${slot.label} has what is ${mark} at ${pointer}: ${brief(value)}`,
        operation,
        request: authorised(context, slot.fill(context.base, value)),
        expect: refused('mismatch'),
        proves: [constraintKey(operation, slot.label, pointer, mark, 'violates')],
      })),
  );
}
