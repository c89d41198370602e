import { excludingKeyword } from '../document/direction';
import { abbreviate } from '../json/value';
import { constraintKey } from '../obligations';
import type { Slot } from '../request/slots';
import { constraints } from '../schema/constraints';
import { valuesOneWayOnly } from '../schema/probes';
import { authorizedRequest, type Case, type OperationContext, expectRefusal } from './case';

/** What goes the other way only, wherever the schema marks it. */
export function oneWayCases(context: OperationContext, slot: Slot): Case[] {
  const { document, oracle, operation } = context;
  const mark = excludingKeyword(document.requests);
  const marks = constraints(document.requests, slot.schema).filter(({ keyword }) => keyword === mark);
  return marks.flatMap(({ pointer }) =>
    valuesOneWayOnly(document.requests, oracle, slot.schema, pointer)
      .filter((value) => {
        const read = slot.decode(value);
        return read !== undefined && oracle.decides(slot.schema, read) && !oracle.valid(slot.schema, read);
      })
      .slice(0, 2)
      .map((value): Case => ({
        family: 'constraints',
        title: `${slot.label} has what is ${mark} at ${pointer}: ${abbreviate(value)}`,
        operation,
        request: authorizedRequest(context, slot.fill(context.base, value)),
        expect: expectRefusal('mismatch'),
        proves: [constraintKey(operation, slot.label, pointer, mark, 'violates')],
      })),
  );
}
