import { parse, stringify } from 'node:querystring';
import { carried, ownCodec } from '../../src/request/own-codec';
import { textOf } from '../../src/json/tree';
import { NumberLiteral, parse as value } from '../../src/json/value';
import { contractReport } from '../../src/report/contract-report';
import { htmlPage } from '../../src/report/page';
import { formatReport } from '../../src/report/terminal';
import { run } from '../../src/run';
import type { Target } from '../../src/target';
import { type Answer, serve, targetOf } from '../support/simple-server';

const TYPE = 'application/x-pairs';

/** A codec of pairs: it has no null, no empty object and no empty list, lower-cases texts, and reads numbers as doubles. */
const PAIRS = {
  encode: (given: unknown) => Buffer.from(stringify(flat(given))),
  decode: (bytes: Uint8Array) => deep(parse(Buffer.from(bytes).toString())),
};

const flat = (given: unknown, path = ''): Record<string, string> =>
  typeof given === 'object' && given !== null
    ? (Object.assign(
        {},
        ...Object.entries(given).map(([name, member]) =>
          flat(member, `${path}/${Array.isArray(given) ? `#${name}` : name}`),
        ),
      ) as Record<string, string>)
    : given === null
      ? {}
      : {
          [path]:
            typeof given === 'string' ? `s${given.toLowerCase()}` : `n${textOf(given).replaceAll('"', '')}`,
        };

function deep(pairs: Record<string, string | string[] | undefined>): unknown {
  const root: Record<string, unknown> = {};
  for (const [path, given] of Object.entries(pairs)) {
    const text = String(given);
    const read = text.startsWith('s')
      ? text.slice(1)
      : text === 'ntrue'
        ? true
        : text === 'nfalse'
          ? false
          : Number(text.slice(1));
    const names = ['', ...path.split('/').slice(1)];
    let node = root;
    for (const name of names.slice(0, -1)) node = (node[name] ??= {}) as Record<string, unknown>;
    node[names.at(-1) ?? ''] = read;
  }
  return withLists(root['']);
}

const withLists = (node: unknown): unknown => {
  if (typeof node !== 'object' || node === null) return node;
  const members = Object.entries(node).map(([name, member]) => [name, withLists(member)] as const);
  return members.length > 0 && members.every(([name]) => name.startsWith('#'))
    ? members.map(([, member]) => member)
    : Object.fromEntries(members);
};

const SCHEMA = {
  type: 'object',
  required: ['name', 'size', 'tags', 'note'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 5 },
    size: { type: 'integer', format: 'int64' },
    tags: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', minLength: 1 } },
    note: { anyOf: [{ type: 'null' }, { type: 'string', maxLength: 9 }] },
    more: { type: 'array', maxItems: 0 },
    extra: { type: ['object', 'null'], maxProperties: 1 },
  },
};

const paths = {
  '/things': {
    post: {
      operationId: 'addThing',
      requestBody: { required: true, content: { [TYPE]: { schema: SCHEMA } } },
      responses: { 204: { description: 'added' }, '4XX': { description: 'refused' } },
    },
  },
};

test.each([
  ['{"a":"b"}', true],
  ['{"a":"B"}', false],
  ['{"a":null}', false],
  ['{"a":{}}', false],
  ['{"a":[]}', false],
  ['{"a":["x","y"]}', true],
  ['{"b":1,"a":2.50}', true],
  ['{"a":1e2}', true],
  ['{"a":9223372036854775807}', false],
  ['{"a":0.09999999999999999999}', false],
])('%s is carried: %s', (text, isCarried) => {
  expect(carried(ownCodec(PAIRS), value(text)) !== undefined).toBe(isCarried);
});

test('a decoder may return integers as bigints; a date, or what a codec throws at, is not carried', () => {
  const returning = (given: unknown) => ownCodec({ encode: () => Buffer.from(''), decode: () => given });
  const largest = value('[9223372036854775807, 1]');
  expect(carried(returning([9223372036854775807n, 1n]), largest)).toBe(largest);
  expect(carried(returning([9223372036854775808n, 1n]), largest)).toBeUndefined();
  expect(carried(returning([2 ** 63, 1]), largest)).toBeUndefined();
  expect(carried(returning({ at: new Date() }), value('{"at":{}}'))).toBeUndefined();
  expect(carried(returning({ at: undefined }), value('{}'))).toBeUndefined();
  const failing = () => {
    throw new Error('no');
  };
  expect(carried(ownCodec(failing), new NumberLiteral('1'))).toBeUndefined();
  expect(
    carried(
      ownCodec((given) => Buffer.from(String(given))),
      null,
    ),
  ).toBeNull();
});

describe('a codec that does not carry each value', () => {
  const received: unknown[] = [];
  const answer: Answer = (request, body) => {
    if (request.url !== '/things') return { status: 404 };
    if (request.method !== 'POST') return { status: 405, headers: { Allow: 'POST' } };
    if (request.headers['content-type']?.toLowerCase() !== TYPE) return { status: 415 };
    if (request.headers['content-encoding'] !== undefined) return { status: 415 };
    const got = PAIRS.decode(Buffer.from(body, 'latin1'));
    received.push(got);
    return { status: isThing(got) ? 204 : 400 };
  };
  const server: Target = {
    ...targetOf(paths, answer, { encoders: { [TYPE]: PAIRS }, profile: 'document', bodyLimit: 10_000 }),
    start: serve(answer, undefined, () => 10_000),
  };

  test('is asked for what it carries only; the report counts the rest, which is out of reach', async () => {
    const result = await run(server);
    const report = contractReport(result);
    expect(report.failures).toEqual([]);
    expect(result.passed).toBe(true);
    expect(received.length).toBeGreaterThan(100);
    const reason = `the codec of ${TYPE} cannot carry them`;
    const left = report.leftOut.filter((one) => one.reason === reason);
    expect(new Set(left.map(({ family }) => family))).toEqual(new Set(['valid', 'constraints']));
    const total = left.reduce((sum, { requests }) => sum + requests, 0);
    expect(formatReport(result)).toMatch(new RegExp(`LEFT OUT ${total} requests of addThing .*: ${reason}`));
    expect(result.summary.verdict).toContain('Left out: ');
    expect(htmlPage(report)).toContain(`addThing: `);
    expect(htmlPage(report)).toContain(reason);
    const stateOf = (end: string) => report.obligations.find(({ key }) => key.endsWith(end));
    expect(stateOf('tags minItems | violates')).toMatchObject({ state: 'OUT OF REACH', reason });
    expect(stateOf('note/anyOf/0 type | holds')).toMatchObject({ state: 'OUT OF REACH', reason });
    expect(stateOf('more maxItems | holds')).toMatchObject({ state: 'OUT OF REACH', reason });
    expect(stateOf('name minLength | violates')?.state).toBe('PROVEN');
    expect(stateOf('tags maxItems | violates')?.state).toBe('PROVEN');
  });

  test('blocks its operation, with the reason, if it carries no valid value', async () => {
    const lossy = { ...PAIRS, decode: () => null };
    const [failure] = (await run({ ...server, encoders: { [TYPE]: lossy } })).failures;
    expect(failure?.problems).toEqual([
      `expected a valid value for body ${TYPE} that its codec can carry, found 20 that it cannot`,
    ]);
  });

  test('fails at its values if it is only an encoder', async () => {
    const result = await run({ ...server, encoders: { [TYPE]: PAIRS.encode } });
    expect(result.passed).toBe(false);
  });
});

/** Whether a decoded value conforms to the schema. */
function isThing(got: unknown): boolean {
  if (typeof got !== 'object' || got === null || Array.isArray(got)) return false;
  const { name, size, tags, note, more, extra, ...others } = got as Record<string, unknown>;
  const isText = (text: unknown, least: number, most: number) =>
    typeof text === 'string' && Array.from(text).length >= least && Array.from(text).length <= most;
  return (
    Object.keys(others).length === 0 &&
    isText(name, 2, 5) &&
    Number.isInteger(size) &&
    Math.abs(Number(size)) < 2 ** 63 &&
    Array.isArray(tags) &&
    tags.length <= 3 &&
    tags.every((tag) => isText(tag, 1, Infinity)) &&
    isText(note, 0, 9) &&
    more === undefined &&
    (extra === undefined ||
      (typeof extra === 'object' &&
        extra !== null &&
        !Array.isArray(extra) &&
        Object.keys(extra).length <= 1))
  );
}
