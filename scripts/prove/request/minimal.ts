import { type Document, encodePath, type MediaType, type Operation, type Parameter } from '../document/model';
import { fromJson } from '../json/value';
import type { Oracle } from '../schema/oracle';
import type { RawRequest } from '../wire/message';
import { fitsSlot, type Inputs, slots, slotSamples } from './slots';
import { Untestable } from '../untestable';

/**
 * The inputs of a minimal request: required parameters, and the first media type of the body. Examples of the document
 * come first, since the service holds the resources that they name.
 *
 * @throws {Untestable} if no valid value is found for one of them
 */
export function minimalInputs(document: Document, oracle: Oracle, operation: Operation): Inputs {
  let inputs: Inputs = { parameters: new Map() };
  const content = operation.body?.content ?? [];
  const firstBody = content.find((media) => isEncodable(document, media)) ?? content[0];
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
      throw new Untestable(`expected a valid value for ${slot.label} (${slot.schema}), found none`);
    inputs = slot.fill(inputs, value);
  }
  if (firstBody && !inputs.body) {
    inputs = { ...inputs, body: { type: firstBody.type, bytes: Buffer.from('any bytes') } };
  }
  return inputs;
}

/** Whether the engine makes valid bodies of a media type. Of XML and multipart it knows only examples. */
const isEncodable = ({ encoders }: Document, { name, examples }: MediaType): boolean =>
  !/^multipart\/|[/+]xml\b/i.test(name) || examples.length > 0 || encoders[name] !== undefined;

/** A request without credentials. */
export function composeRequest(operation: Operation, { parameters, body }: Inputs): RawRequest {
  const parametersIn = (location: Parameter['in']): [Parameter, string][] =>
    [...parameters].filter(([parameter]) => parameter.in === location);
  const path = parametersIn('path').reduce(
    (filled, [{ name }, text]) => filled.replace(`{${name}}`, () => text),
    operation.path,
  );
  const query = parametersIn('query').map(([, text]) => text);
  const cookies = parametersIn('cookie').map(([, text]) => text);
  return {
    method: operation.method,
    target: encodePath(path) + (query.length > 0 ? `?${query.join('&')}` : ''),
    headers: [
      ...parametersIn('header').map(([{ name }, text]) => [name, text] as const),
      ...(cookies.length > 0 ? [['Cookie', cookies.join('; ')] as const] : []),
      ...(body ? [['Content-Type', body.type] as const] : []),
    ],
    ...(body && { body: body.bytes }),
  };
}
