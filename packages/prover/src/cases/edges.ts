import { abbreviate, NumberLiteral } from '../json/value';
import { fitsSlot, type Slot, slots } from '../request/slots';
import { basesOf } from './bases';
import { type Case, inputCase, type OperationContext } from './case';
import { numberLiterals } from '../schema/known-formats';

/**
 * The edges of int64, of the integers that a double holds, and of the doubles, each with what lies beyond it: a server hands
 * them to a database, a language or a library that has an edge of its own there.
 */
const EDGES = numberLiterals(
  ...['9223372036854775807', '-9223372036854775808', '9223372036854775808', '-9223372036854775809'],
  ...['9007199254740991', '9007199254740993', '-9007199254740993', '2147483648', '-2147483649'],
  ...['18446744073709551616', '99999999999999999999', '1e15', '1e300', '-1e300', '1.7976931348623157e308'],
  ...['5e-324', '-5e-324', '9007199254740992.5', `1${'0'.repeat(100)}`],
);

/** The edges of all parameters and bodies. They leave resources behind, so they come last. */
export const edgeCases = (context: OperationContext): Case[] =>
  slots(context.document, context.operation)
    .filter(({ codec }) => codec !== 'binary')
    .flatMap((slot) => slotEdges(context, slot));

/**
 * Every integer and number that the document leaves open, in and below a valid value, at its edges. The service may take
 * the value or refuse it; it must not fail.
 */
function slotEdges(context: OperationContext, slot: Slot): Case[] {
  const tested = new Set<string>();
  return basesOf(context, slot).flatMap(({ locations }) =>
    locations.flatMap(({ value, subschemas, instancePointer, replace }): Case[] => {
      const schemas = subschemas.map(({ pointer }) => pointer).join();
      if (!(value instanceof NumberLiteral) || tested.has(schemas)) return [];
      tested.add(schemas);
      return EDGES.filter((edge) => fitsSlot(context.oracle, slot, replace(edge))).map((edge) => {
        const title = `${slot.label}${instancePointer} at the edge ${abbreviate(edge)}`;
        const inputs = slot.fill(context.base, replace(edge));
        return inputCase(context, 'valid', title, inputs, {
          expect: { kind: 'handled' },
          rule: 'no server error',
        });
      });
    }),
  );
}
