import type { Document, Examples, MediaType, Operation, Parameter } from '../document/document';
import { fromJson, object, print, word, type JsonObject, type Value } from '../json/json';
import type { Oracle } from '../schema/oracle';
import { formEncoded, reading, serialise } from './parameters';
import type { Secrets, Target } from '../target';
import { samples, type Mode } from '../schema/samples';
import type { RawRequest } from '../wire/wire';

/** What a request carries beside its credentials, each part encoded. */
export interface Inputs {
  readonly parameters: ReadonlyMap<Parameter, string>;
  readonly body?: { readonly type: string; readonly bytes: Buffer };
}

/** A part of a request that a schema describes: a parameter, or the body in one media type. */
export interface Slot extends Examples {
  readonly label: string;
  /** Pointer of its schema. */
  readonly schema: string;
  readonly required: boolean;
  readonly body?: MediaType;
  readonly parameter?: Parameter;
  /** The value as the receiver reads it, or undefined where it cannot be sent unmistakably. */
  readonly read: (value: Value) => Value | undefined;
  readonly fill: (inputs: Inputs, value: Value) => Inputs;
}

export type Codec = 'json' | 'form' | 'text' | 'binary';

export function codec(mediaType: string): Codec {
  const essence = mediaType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (/[/+]json$/.test(essence)) return 'json';
  if (essence === 'application/x-www-form-urlencoded') return 'form';
  return essence.startsWith('text/') ? 'text' : 'binary';
}

/** Every part of an operation's request that has a schema. */
export function slots(document: Document, operation: Operation): Slot[] {
  const parameters = operation.parameters.map((parameter) => parameterSlot(document, parameter));
  const bodies = (operation.body?.content ?? []).flatMap((media) =>
    media.schema === undefined ? [] : [bodySlot(document, operation, media, media.schema)],
  );
  return [...parameters, ...bodies];
}

function parameterSlot({ requests }: Document, parameter: Parameter): Slot {
  const location = [{ pointer: parameter.schema, certain: true }];
  return {
    label: `${parameter.in} ${parameter.name}`,
    schema: parameter.schema,
    required: parameter.required,
    examples: parameter.examples,
    schemaExamples: parameter.schemaExamples,
    parameter,
    read: (value) => {
      if (serialise(parameter, value) === undefined) return undefined;
      return parameter.mediaType === undefined ? reading(requests, location, value) : value;
    },
    fill: (inputs, value) => ({
      ...inputs,
      parameters: new Map([...inputs.parameters, [parameter, serialise(parameter, value) ?? '']]),
    }),
  };
}

function bodySlot({ requests }: Document, operation: Operation, media: MediaType, schema: string): Slot {
  const kind = codec(media.name);
  return {
    label: `body ${media.name}`,
    schema,
    required: operation.body?.required === true,
    examples: media.examples,
    schemaExamples: media.schemaExamples,
    body: media,
    read: (value) => {
      if (kind === 'json') return value;
      if (kind === 'form')
        return formEncoded(value) === undefined
          ? undefined
          : reading(requests, [{ pointer: schema, certain: true }], value);
      // In text, unlike in JSON, U+FEFF at the start is a byte order mark and no part of the value.
      return typeof value === 'string' && value.isWellFormed() && !/^(?:\ufeff|$)/.test(value)
        ? value
        : undefined;
    },
    fill: (inputs, value) => ({ ...inputs, body: { type: media.name, bytes: encodeBody(kind, value) } }),
  };
}

export function encodeBody(kind: Codec, value: Value): Buffer {
  if (kind === 'json') return Buffer.from(print(value));
  return Buffer.from(
    (kind === 'form' ? formEncoded(value) : undefined) ?? (typeof value === 'string' ? value : print(value)),
  );
}

/** Values that fit a slot, as its receiver reads them. */
export function slotSamples(
  document: Document,
  oracle: Oracle,
  slot: Slot,
  mode: Mode,
  count: number,
): Value[] {
  return samples(document.requests, oracle, slot.schema, mode, count).filter((value) =>
    fits(oracle, slot, value),
  );
}

/** Whether the receiver of a value in this slot reads something that fits. */
export function fits(oracle: Oracle, slot: Slot, value: Value): boolean {
  const read = slot.read(value);
  return read !== undefined && oracle.valid(slot.schema, read);
}

/**
 * A request with everything required and nothing else; where the document has an example, that: it names what the
 * service is sure to hold.
 *
 * @throws {Error} naming the part for which no value was found.
 */
export function baseInputs(document: Document, oracle: Oracle, operation: Operation): Inputs {
  let inputs: Inputs = { parameters: new Map() };
  const [firstBody] = operation.body?.content ?? [];
  for (const slot of slots(document, operation)) {
    if (slot.body ? slot.body !== firstBody : !slot.required) continue;
    const [value] = [
      ...[...slot.examples, ...slot.schemaExamples]
        .map(fromJson)
        .filter((example) => fits(oracle, slot, example)),
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
export function compose(operation: Operation, { parameters, body }: Inputs): RawRequest {
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

/** Adds a secret to a request where its scheme wants it (OpenAPI 3.1 section 4.8.27). */
function present(request: RawRequest, scheme: JsonObject, secret: string): RawRequest {
  const add = (name: string, value: string): RawRequest => ({
    ...request,
    headers: [[name, value], ...request.headers],
  });
  if (scheme['type'] !== 'apiKey') {
    const basic = word(scheme['scheme']).toLowerCase() === 'basic';
    return add(
      'Authorization',
      basic ? `Basic ${Buffer.from(secret).toString('base64')}` : `Bearer ${secret}`,
    );
  }
  const name = word(scheme['name']);
  if (scheme['in'] === 'header') return add(name, secret);
  if (scheme['in'] === 'query') {
    const joint = request.target.includes('?') ? '&' : '?';
    return { ...request, target: `${request.target}${joint}${name}=${encodeURIComponent(secret)}` };
  }
  const cookie = request.headers.find(([key]) => key === 'Cookie')?.[1];
  const others = request.headers.filter(([key]) => key !== 'Cookie');
  const value = `${name}=${secret}`;
  return {
    ...request,
    headers: [...others, ['Cookie', cookie === undefined ? value : `${cookie}; ${value}`]],
  };
}

/**
 * The request with what one alternative of the operation's security asks for.
 *
 * @param secretOf which secret is presented for a scheme; undefined for none
 */
export function authorise(
  { schemes }: Document,
  { credentials }: Target,
  alternative: readonly string[],
  request: RawRequest,
  secretOf: (secrets: Secrets, scheme: string) => string | undefined = ({ valid }) => valid,
): RawRequest {
  return alternative.reduce((made, name) => {
    const secrets = credentials[name];
    if (!secrets)
      throw new Error(`expected credentials for the security scheme ${name}, got none; give the target some`);
    const secret = secretOf(secrets, name);
    return secret === undefined ? made : present(made, object(schemes[name]), secret);
  }, request);
}
