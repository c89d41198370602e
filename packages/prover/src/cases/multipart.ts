import { concreteType, essenceOf, matchesMediaType } from '../document/media';
import { asString, objectAt } from '../json/tree';
import { NumberLiteral, type Value } from '../json/value';
import { type ProtocolScenario, ruleKey } from '../obligation';
import type { RuleName } from '../profile';
import {
  escapeName,
  encodingOf,
  mediaOf,
  multipartBody,
  multipartOf,
  type Part,
  requiredHeaders,
} from '../request/multipart';
import { fitsSlot, type Slot, slots, slotSamples, slotValidity } from '../request/slots';
import { withHeader } from '../wire/message';
import {
  authorizedRequest,
  type Case,
  type Expectation,
  expectRefusal,
  expectSuccessOrOwnRefusal,
  handlerInput,
  inputCase,
  type OperationContext,
} from './case';

/** The parts and the bytes of multipart bodies, beside the values that they carry. */
export const multipartCases = (context: OperationContext): Case[] =>
  slots(context.document, context.operation)
    .filter(({ codec }) => codec === 'multipart')
    .flatMap((slot) => {
      const sample = sampleOf(context, slot);
      return sample ? [unusual, malformed, encoded, manyParts].flatMap((make) => make(sample)) : [];
    });

/** A body that is accepted, and what makes others of it. */
interface Sample {
  readonly context: OperationContext;
  readonly slot: Slot;
  /** Pointer to the Media Type Object. */
  readonly media: string;
  readonly value: Value;
  readonly parts: readonly Part[];
  readonly encode: (value: Value) => Part[] | undefined;
}

function sampleOf(context: OperationContext, slot: Slot): Sample | undefined {
  const { document, oracle } = context;
  const media = mediaOf(slot.schema);
  const encode = multipartOf(document.requests, slot.schema, essenceOf(slot.body?.type ?? ''))?.encode;
  const [value] = slotSamples(document, oracle, slot, 'all', 20);
  const parts = value === undefined ? undefined : encode?.(value);
  return encode && parts && value !== undefined ? { context, slot, media, value, parts, encode } : undefined;
}

/** None of the values of the prover contains it, but those that must. */
const BOUNDARY = 'part-0';

/** RFC 2046 section 5.1.1: of at most 70 characters, some of which need quotes. */
const LONGEST_BOUNDARY = "0123456789'()+_,-./:=?".padEnd(70, 'abcdefghij');

/** What a case differs in from the sample. */
interface Difference {
  readonly body?: Buffer;
  /** The parameter of Content-Type. */
  readonly boundary?: string;
  readonly rule?: RuleName;
  /** The value that the handler receives, if it is not that of the sample; null is not compared. */
  readonly value?: Value;
}

function send(
  { context, slot, value, parts }: Sample,
  scenario: ProtocolScenario | undefined,
  title: string,
  expect: Expectation,
  { body, boundary = `; boundary=${BOUNDARY}`, rule = scenario, value: received = value }: Difference,
): Case {
  const inputs = slot.fill(context.base, received ?? value);
  const request = withHeader(
    authorizedRequest(context, inputs),
    'Content-Type',
    `${slot.body?.type ?? ''}${boundary}`,
  );
  return inputCase(context, 'bodies', `${slot.label}: ${title}`, inputs, {
    request: { ...request, body: body ?? multipartBody(parts, BOUNDARY) },
    expect,
    ...(expect.kind === 'answered' && received !== null && handlerInput(context, slot, received)),
    ...(rule && { rule }),
    proves: scenario === undefined ? [] : [ruleKey(context.operation, 'protocol', scenario)],
  });
}

/** Bodies that a parser reads who follows RFC 2046 and RFC 7578, and no simpler one. */
function unusual(sample: Sample): Case[] {
  const { context, parts, slot } = sample;
  const body = multipartBody(parts, BOUNDARY);
  const accepted = (title: string, difference: Difference): Case =>
    send(sample, 'unusual multipart', title, expectSuccessOrOwnRefusal(context), difference);
  const padded = body.toString('latin1').replaceAll(`--${BOUNDARY}\r\n`, `--${BOUNDARY} \t\r\n`);
  const isForm = essenceOf(slot.body?.type ?? '') === 'multipart/form-data';
  return [
    accepted('a preamble and an epilogue', {
      body: Buffer.concat([Buffer.from('a preamble\r\n'), body, Buffer.from('an epilogue')]),
    }),
    accepted('a boundary in quotes', { boundary: `; boundary="${BOUNDARY}"` }),
    accepted('a boundary of 70 characters', {
      body: multipartBody(parts, LONGEST_BOUNDARY),
      boundary: `; boundary="${LONGEST_BOUNDARY}"`,
    }),
    accepted('white space after boundaries', {
      body: Buffer.from(padded, 'latin1'),
      rule: 'transport padding',
    }),
    accepted('names of headers in lower case', {
      body: multipartBody(parts.map(withLowerCase), BOUNDARY),
    }),
    ...(isForm ? unusualFields(sample, accepted) : []),
  ];
}

const withLowerCase = ({ headers, body }: Part): Part => ({
  headers: headers.map(([name, value]) => [name.toLowerCase(), value]),
  body,
});

function unusualFields(sample: Sample, accepted: (title: string, difference: Difference) => Case): Case[] {
  const { context, slot, value, parts, encode } = sample;
  if (!(value instanceof Map)) return [];
  const withText = (text: string): Map<string, Value> | undefined =>
    [...value.keys()]
      .map((name) => new Map(value).set(name, text))
      .find((candidate) => fitsSlot(context.oracle, slot, candidate));
  // No line begins with the boundary, but much looks like it.
  const tricky = withText(`a--${BOUNDARY}--\r\n--part-\r\n--\r\n-\r\r\n--Part-0`);
  const text = parts.find((part) => !isFile(part) && !part.headers.some(([name]) => name === 'Content-Type'));
  const isOpen = fitsSlot(context.oracle, slot, new Map(value).set('unlisted', 'x'));
  const odd = { headers: [dispositionOf('a "name"\r\nof <lines>')], body: Buffer.from('x') };
  return [
    ...(tricky
      ? [
          accepted('the boundary inside of a value', {
            body: multipartBody(encode(tricky) ?? [], BOUNDARY),
            value: tricky,
          }),
        ]
      : []),
    ...(isOpen
      ? [accepted('a name with quotes and line breaks', { body: multipartBody([odd, ...parts], BOUNDARY) })]
      : []),
    ...(text
      ? [
          accepted('a file name on a text', {
            body: multipartBody(replaced(parts, text, withFileName(text)), BOUNDARY),
            rule: 'file name on a text',
          }),
        ]
      : []),
    ...fileCases(sample, value),
  ];
}

const dispositionOf = (name: string): readonly [string, string] => [
  'Content-Disposition',
  `form-data; name="${escapeName(name)}"`,
];

const isFile = ({ headers }: Part): boolean => headers.some(([, value]) => value.includes('; filename='));

const replaced = (parts: readonly Part[], part: Part, by: Part): Part[] =>
  parts.map((one) => (one === part ? by : one));

const withFileName = ({ headers, body }: Part): Part => ({
  headers: headers.map(([name, value]) =>
    name === 'Content-Disposition' ? [name, `${value}; filename="a.txt"`] : [name, value],
  ),
  body,
});

const MEGABYTE = 1_048_576;

/** Files of any bytes, of none and of many. */
function fileCases(sample: Sample, value: ReadonlyMap<string, Value>): Case[] {
  const { context, slot, parts } = sample;
  const limit = context.operation.bodyLimit ?? context.target.bodyLimit;
  const success = expectSuccessOrOwnRefusal(context);
  const isTooLarge = limit !== undefined && limit < MEGABYTE;
  const ofSize: Expectation =
    limit === undefined ? { kind: 'handled' } : isTooLarge ? expectRefusal('content too large') : success;
  const contents: readonly [title: string, body: Buffer, expect: Expectation][] = [
    ['every byte', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)), success],
    ['no byte', Buffer.alloc(0), success],
    ['1 MB', Buffer.alloc(limit === undefined || isTooLarge ? MEGABYTE : MEGABYTE - 4096, 'x'), ofSize],
  ];
  return contents.flatMap(([title, body, expect]) => {
    const mayHave = (part: Part): boolean => {
      const name = nameOf(part, value) ?? '';
      const [, ...others] = [value.get(name) ?? ''].flat();
      const text = body.toString('latin1').replace(/[^x]/g, 'x');
      const member = Array.isArray(value.get(name)) ? [text, ...others] : text;
      return slotValidity(context.oracle, slot, new Map(value).set(name, member)) !== 'invalid';
    };
    const file = parts.filter(isFile).find(mayHave);
    if (!file) return [];
    return send(sample, 'unusual multipart', `a file of ${title}`, expect, {
      body: multipartBody(replaced(parts, file, { ...file, body }), BOUNDARY),
      rule: expect.kind === 'handled' ? 'no server error' : 'arbitrary content',
      value: null,
    });
  });
}

/** Bodies without a part of what frames them. */
function malformed(sample: Sample): Case[] {
  const { parts, slot } = sample;
  const body = multipartBody(parts, BOUNDARY);
  const end = `--${BOUNDARY}--\r\n`.length;
  const refused = (title: string, difference: Difference): Case =>
    send(sample, 'malformed multipart', title, expectRefusal('malformed'), difference);
  const withHead = (...headers: Part['headers']): Difference => ({
    body: multipartBody([...parts, { headers, body: Buffer.from('x') }], BOUNDARY),
    rule: 'part without a name',
  });
  const withoutColon = multipartBody(
    [...parts, { headers: [dispositionOf('unlisted'), ['X-Odd', '']], body: Buffer.from('x') }],
    BOUNDARY,
  );
  return [
    refused('no boundary parameter', { boundary: '' }),
    refused('another boundary', { boundary: '; boundary=another' }),
    refused('without the last boundary', { body: body.subarray(0, -end) }),
    refused('cut in the head of a part', { body: body.subarray(0, BOUNDARY.length + 16) }),
    refused('no part', { body: Buffer.from('no part') }),
    ...(essenceOf(slot.body?.type ?? '') === 'multipart/form-data'
      ? [
          refused('a part without Content-Disposition', withHead()),
          refused('a part without a name', withHead(['Content-Disposition', 'form-data'])),
          refused('a header without a colon', {
            body: Buffer.from(withoutColon.toString('latin1').replace('X-Odd:', 'X-Odd'), 'latin1'),
            rule: 'part without a name',
          }),
        ]
      : []),
  ];
}

/** The media types and headers of parts that the document states, and a part that is there twice. */
function encoded(sample: Sample): Case[] {
  const { context, slot, media, parts, value } = sample;
  const { requests } = context.document;
  const refused = (
    title: string,
    sent: readonly Part[],
    scenario?: ProtocolScenario,
    rule?: RuleName,
  ): Case => ({
    ...send(sample, scenario, title, expectRefusal('invalid request'), {
      body: multipartBody(sent, BOUNDARY),
      ...(rule && { rule }),
    }),
    location: 'body',
  });
  return parts.flatMap((part, index) => {
    const field = value instanceof Map ? nameOf(part, value) : undefined;
    if (value instanceof Map && field === undefined) return [];
    const name = field ?? `part ${index}`;
    const encoding = encodingOf(requests.json, media, field ?? index);
    const { contentType } = encoding === undefined ? {} : objectAt(requests.json, encoding);
    const types = asString(contentType)
      .split(',')
      .map((type) => type.trim())
      .filter((type) => type !== '');
    const wrong = ['application/x-undocumented', 'x-undocumented/any'].find(
      (type) => types.length > 0 && !types.some((documented) => matchesMediaType(documented, type)),
    );
    const as = (type: string): Part[] => replaced(parts, part, withType(part, type));
    const required =
      encoding === undefined ? [] : requiredHeaders(requests, encoding).map(([header]) => header);
    return [
      ...types.map((type) =>
        send(sample, 'part media types', `${name} as ${type}`, expectSuccessOrOwnRefusal(context), {
          body: multipartBody(as(concreteType(type, false)), BOUNDARY),
        }),
      ),
      ...(wrong === undefined ? [] : [refused(`${name} as ${wrong}`, as(wrong), 'part media types')]),
      ...required.map((header) => {
        const headers = part.headers.filter(([other]) => other !== header);
        return refused(
          `${name} without ${header}`,
          replaced(parts, part, { ...part, headers }),
          'part headers',
        );
      }),
      ...(value instanceof Map && !isFile(part) && isSingle(slot, value, name)
        ? [refused(`${name} twice`, [...parts, part], undefined, 'repeated part')]
        : []),
    ];
  });
}

/** Whether a form may have the field once. */
function isSingle(slot: Slot, value: ReadonlyMap<string, Value>, name: string): boolean {
  const member = value.get(name);
  if (typeof member !== 'string' && typeof member !== 'boolean' && !(member instanceof NumberLiteral))
    return false;
  return slot.decode(new Map(value).set(name, [member, member])) === undefined;
}

/** The name of the member that a part carries. */
const nameOf = ({ headers }: Part, value: ReadonlyMap<string, Value>): string | undefined =>
  [...value.keys()].find((name) => headers.some(([, field]) => field.startsWith(dispositionOf(name)[1])));

const withType = ({ headers, body }: Part, type: string): Part => ({
  headers: [...headers.filter(([name]) => name !== 'Content-Type'), ['Content-Type', type]],
  body,
});

/** More parts than a parser may want. */
function manyParts(sample: Sample): Case[] {
  const { context, parts, slot } = sample;
  if (essenceOf(slot.body?.type ?? '') !== 'multipart/form-data') return [];
  const part: Part = { headers: [dispositionOf('unlisted')], body: Buffer.alloc(0) };
  const limit = context.operation.bodyLimit ?? context.target.bodyLimit ?? Infinity;
  const left = limit - multipartBody(parts, BOUNDARY).length;
  const size = multipartBody([part, part], BOUNDARY).length - multipartBody([part], BOUNDARY).length;
  const count = Math.max(1, Math.min(10_000, Math.floor(left / size)));
  const body = multipartBody([...parts, ...Array<Part>(count).fill(part)], BOUNDARY);
  return [
    send(sample, undefined, `${count} more parts`, { kind: 'handled' }, { body, rule: 'no server error' }),
  ];
}
