import { excludingKeyword } from '../document/direction';
import { abbreviate } from '../json/value';
import { constraintKey } from '../obligation';
import { type Slot, slotVerdict } from '../request/slots';
import { constraints } from '../schema/constraints';
import { oneWayViolations } from '../schema/probes';
import { authorizedRequest, type Case, expectRefusal, type OperationContext } from './case';

/** Values that contain a property which is `readOnly`. */
export function oneWayCases(context: OperationContext, slot: Slot): Case[] {
  const { document, oracle, operation } = context;
  const keyword = excludingKeyword(document.requests);
  const excluded = constraints(document.requests, slot.schema).filter((found) => found.keyword === keyword);
  return excluded.flatMap(({ pointer }) =>
    oneWayViolations(document.requests, oracle, slot.schema, pointer)
      .filter((value) => slotVerdict(oracle, slot, value) === 'invalid')
      .slice(0, 2)
      .map((value): Case => ({
        family: 'constraints',
        title: `${slot.label} contains ${pointer}, which is ${keyword}: ${abbreviate(value)}`,
        operation,
        request: authorizedRequest(context, slot.fill(context.base, value)),
        expect: expectRefusal('invalid request'),
        rule: 'readOnly in a request',
        location: 'body',
        proves: [constraintKey(operation, slot.label, pointer, keyword, 'violates')],
      })),
  );
}
