import { Literal, fromJson, print, word, type Value } from '../json';
import { markOf } from '../direction';
import { constraintKey } from '../ledger';
import { requiredNames } from '../document';
import { codec, encodeBody, fits as isFitting, slots, slotSamples, type Slot } from '../request';
import { constraints, sites, trials, witnesses, type Site, type Trial } from '../walk';
import {
  accepted,
  admitted,
  authorised,
  refused,
  withHeader,
  type Case,
  type Context,
  type Expectation,
} from './case';
import { parameterCases } from './parameters';

/** Keywords whose violating values break them beyond doubt, so that an oracle that disagrees is itself at fault. */
const BEYOND_DOUBT = [
  ...['type', 'format', 'required', 'pattern', 'minLength', 'maxLength'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
];
/** Keywords beside which the edges of an integer format may not fit. */
const NARROWING = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'enum',
  'const',
  'not',
];

/** What the cases about values find: the cases, and where generator and oracle contradict each other. */
export interface Found {
  readonly cases: Case[];
  readonly contradictions: string[];
}

/** Every case about the value of a parameter or body: examples, what fits, and each keyword on both sides of its bound. */
export function valueCases(context: Context): Found {
  const found = slots(context.document, context.operation).map((slot) => slotCases(context, slot));
  return {
    cases: [...found.flatMap(({ cases }) => cases), ...parameterCases(context)],
    contradictions: found.flatMap(({ contradictions }) => contradictions),
  };
}

function slotCases(context: Context, slot: Slot): Found {
  const { document, oracle, operation } = context;
  if (slot.body && codec(slot.body.name) === 'binary') return binaryCases(context, slot);
  const plain = slotSamples(document, oracle, slot, 'all', 20);
  const bases = covering(context, slot, [
    ...plain,
    ...slotSamples(document, oracle, slot, 'required', 20),
    ...slotSamples(document, oracle, slot, 'any', 100),
  ]);
  const fits = [
    ...slotSamples(document, oracle, slot, 'required', 3),
    ...plain.slice(0, 3),
    ...bases.map(({ value }) => value),
    ...toggled(
      bases.flatMap(({ found }) => found),
      slot.body && codec(slot.body.name) === 'json' ? ['whatever'] : 'whatever',
    ),
  ].filter((value) => isFitting(oracle, slot, value));
  // An example of a schema for both ways may show what only responses have.
  const ofSchema = slot.schemaExamples
    .map(fromJson)
    .filter((value) => isFitting(oracle, slot, value) || !isFitting(context.responseOracle, slot, value));
  const examples = [...slot.examples.map(fromJson), ...ofSchema];
  const valid =
    (family: 'examples' | 'valid') =>
    (value: Value): Case => ({
      family,
      title: `${slot.label} = ${brief(value)}`,
      operation,
      request: authorised(context, slot.fill(context.base, value)),
      ...delivering(context, slot, value),
      expect: family === 'examples' ? accepted : admitted(context),
      proves: held(context, slot, slot.read(value) ?? value),
    });
  const { cases, contradictions } = trialCases(context, slot, bases);
  return {
    cases: [
      ...examples.map(valid('examples')),
      ...distinct(fits).map(valid('valid')),
      ...cases,
      ...markedCases(context, slot),
      ...(plain[0] === undefined ? [] : respelled(context, slot, plain[0])),
    ],
    contradictions,
  };
}

/** A media type with parameters, written in other ways that mean the same (RFC 9110 section 8.3.1). */
function respelled(context: Context, slot: Slot, value: Value): Case[] {
  const [essence = '', ...parameters] = (slot.body?.name ?? '').split(';').map((part) => part.trim());
  const pairs = parameters.map((parameter) => parameter.split('='));
  if (pairs.length === 0) return [];
  const spellings = [
    [essence.toUpperCase(), ...pairs.map(([name = '', given = '']) => `${name.toUpperCase()}=${given}`)].join(
      ';',
    ),
    [essence, ...pairs.map(([name = '', given = '']) => `${name}="${given}"`)].join(' ; '),
    [essence, 'charset=utf-8', ...parameters].join('; '),
  ];
  return spellings.map((type) => ({
    family: 'media types',
    title: `${slot.label} as Content-Type: ${type}`,
    operation: context.operation,
    request: withHeader(authorised(context, slot.fill(context.base, value)), 'Content-Type', type),
    ...delivering(context, slot, value),
    expect: admitted(context),
    proves: [],
  }));
}

/** What goes the other way only, wherever the schema marks it. */
function markedCases(context: Context, slot: Slot): Case[] {
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
        expect: refused('invalid request'),
        proves: [constraintKey(operation, slot.label, pointer, mark, 'violates')],
      })),
  );
}

/** Bytes without a schema that says anything about them: all of them fit. */
function binaryCases(context: Context, slot: Slot): Found {
  const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const request = authorised(context, slot.fill(context.base, 'bytes'));
  const expect = admitted(context);
  const title = `${slot.label} = every byte there is`;
  return {
    cases: [
      {
        family: 'valid',
        title,
        operation: context.operation,
        request: { ...request, body: every },
        expect,
        proves: [],
      },
    ],
    contradictions: [],
  };
}

interface Base {
  readonly value: Value;
  readonly found: readonly Site[];
}

/** As few of the values as reach every schema object that any of them reaches. */
function covering({ document, oracle }: Context, slot: Slot, values: readonly Value[]): Base[] {
  const reached = new Set<string>();
  return values.flatMap((value) => {
    const found = sites(document.requests, oracle, slot.schema, value);
    const pointers = found.flatMap(({ fragments }) => fragments.map(({ pointer }) => pointer));
    if (pointers.every((pointer) => reached.has(pointer))) return [];
    for (const pointer of pointers) reached.add(pointer);
    return [{ value, found }];
  });
}

/**
 * The value without each of its optional members, one at a time, and with one more than the schema lists; each once for
 * each schema, however often it comes back in the value.
 */
function toggled(found: readonly Site[], unlisted: Value): Value[] {
  const done = new Set<string>();
  const toggles: Value[] = [];
  for (const { value, fragments, put } of found) {
    if (!(value instanceof Map)) continue;
    const schemas = fragments.map(({ pointer }) => pointer).join();
    const required = fragments.flatMap(({ schema }) => requiredNames(schema));
    for (const name of [...value.keys(), 'unlisted']) {
      if (required.includes(name) || done.has(`${schemas} ${name}`)) continue;
      done.add(`${schemas} ${name}`);
      const others = [...value].filter(([other]) => other !== name);
      toggles.push(put(new Map(value.has(name) ? others : [...others, [name, unlisted]])));
    }
  }
  return toggles;
}

function delivering({ base }: Context, slot: Slot, value: Value): Pick<Case, 'delivers'> {
  const read = slot.read(value);
  return read === undefined
    ? {}
    : { delivers: { inputs: slot.fill(base, value), sent: { slot, value: read } } };
}

/** The constraints that a fitting value keeps. */
function held({ document, oracle, operation }: Context, slot: Slot, value: Value): string[] {
  return sites(document.requests, oracle, slot.schema, value).flatMap(({ fragments }) =>
    fragments.flatMap(({ pointer, schema }) =>
      Object.keys(schema).map((keyword) => constraintKey(operation, slot.label, pointer, keyword, 'holds')),
    ),
  );
}

function trialCases(context: Context, slot: Slot, bases: readonly Base[]): Found {
  const tried = new Set<string>();
  const contradictions: string[] = [];
  const cases = bases.flatMap(({ found }) => {
    const fresh = trials(found).filter(
      ({ fragment, keyword }) => !tried.has(`${fragment.pointer} ${keyword}`),
    );
    for (const { fragment, keyword } of fresh) tried.add(`${fragment.pointer} ${keyword}`);
    return fresh.flatMap((trial) => {
      const fits = isFitting(context.oracle, slot, trial.value);
      const read = slot.read(trial.value);
      if (read === undefined || !context.oracle.decides(slot.schema, read)) return [];
      if (fits === (trial.side === 'holds')) return [trialCase(context, slot, trial)];
      if (mustAgree(slot, trial)) {
        contradictions.push(
          `${slot.label}: ${brief(trial.value)} ${trial.side} ${trial.keyword} at ${trial.fragment.pointer}, but the oracle says it ${fits ? 'fits' : 'does not fit'}`,
        );
      }
      return [];
    });
  });
  return { cases, contradictions };
}

function mustAgree(slot: Slot, { fragment, keyword, side, site }: Trial): boolean {
  if (!fragment.certain || !slot.body || codec(slot.body.name) !== 'json') return false;
  if (side === 'violates') return BEYOND_DOUBT.includes(keyword);
  const narrowed = site.fragments.some(({ schema }) =>
    NARROWING.some((other) => schema[other] !== undefined),
  );
  return keyword === 'format' && /^int(?:32|64)$/.test(word(fragment.schema['format'])) && !narrowed;
}

/** How a value that does not fit is turned away, given what was put at the place that is at fault. */
export function invalidRequest(put: Value): Expectation {
  // A reader may set limits to numbers (RFC 8259 section 6), and say so before it looks at the schema.
  const beyond = put instanceof Literal && !Number.isFinite(Number(put.text));
  return beyond ? refused('invalid request', 'malformed') : refused('invalid request');
}

function trialCase(context: Context, slot: Slot, { value, put, fragment, keyword, side, site }: Trial): Case {
  const { operation, oracle } = context;
  // Text off the wire has no type of its own: what it breaks is judged as its receiver reads it.
  const read = site.place === '' ? (slot.read(put) ?? put) : put;
  const proper = oracle.breaks(fragment.pointer, keyword, read);
  const key = constraintKey(operation, slot.label, fragment.pointer, keyword, side);
  return {
    family: 'constraints',
    title: `${slot.label}${site.place} ${side} ${keyword} of ${fragment.pointer}: ${brief(value)}`,
    operation,
    request: authorised(context, slot.fill(context.base, value)),
    ...(side === 'holds' && delivering(context, slot, value)),
    expect: side === 'holds' ? admitted(context) : invalidRequest(put),
    proves: side === 'holds' || (fragment.certain && proper) ? [key] : [],
  };
}

const distinct = (values: readonly Value[]): Value[] => [
  ...new Map(values.map((value) => [print(value), value])).values(),
];

export function brief(value: Value): string {
  const text = print(value);
  return text.length > 100 ? `${text.slice(0, 90)}... (${encodeBody('json', value).length} bytes)` : text;
}
