import type { Document, Operation, Parameter } from '../document/document';
import { fromJson } from '../json/value';
import type { Oracle } from '../schema/oracle';
import type { RawRequest } from '../wire/message';
import { fitsSlot, type Inputs, slots, slotSamples } from './slots';

/**
 * A request with everything required and nothing else; where the document has an example, that: it names what the
 * service is sure to hold.
 *
 * @throws {Error} naming the part for which no value was found.
 */
export function minimalInputs(document: Document, oracle: Oracle, operation: Operation): Inputs {
  let inputs: Inputs = { parameters: new Map() };
  const [firstBody] = operation.body?.content ?? [];
  for (const slot of slots(document, operation)) {
    if (slot.body ? slot.body !== firstBody : !slot.required) continue;
    const [value] = [
      ...[...slot.examples, ...slot.schemaExamples]
        .map(fromJson)
        .filter((example) => fitsSlot(oracle, slot, example)),
      ...slotSamples(document, oracle, slot, 'required', 20),
      ...slotSamples(document, oracle, slot, 'all', 20),
    ];
    if (value === undefined)
      throw new Error(`expected a value that fits ${slot.label} (${slot.schema}), found none`);
    inputs = slot.fill(inputs, value);
  }
  if (firstBody && !inputs.body) {
    inputs = { ...inputs, body: { type: firstBody.name, bytes: Buffer.from('any bytes') } };
  }
  return inputs;
}

/** The request on the wire, without credentials. */
export function composeRequest(operation: Operation, { parameters, body }: Inputs): RawRequest {
  const of = (place: Parameter['in']): [Parameter, string][] =>
    [...parameters].filter(([parameter]) => parameter.in === place);
  const path = of('path').reduce(
    (filled, [{ name }, text]) => filled.replace(`{${name}}`, () => text),
    operation.path,
  );
  const query = of('query').map(([, text]) => text);
  const cookies = of('cookie').map(([, text]) => text);
  return {
    method: operation.method,
    target: path + (query.length > 0 ? `?${query.join('&')}` : ''),
    headers: [
      ...of('header').map(([{ name }, text]) => [name, text] as const),
      ...(cookies.length > 0 ? [['Cookie', cookies.join('; ')] as const] : []),
      ...(body ? [['Content-Type', body.type] as const] : []),
    ],
    ...(body && { body: body.bytes }),
  };
}
