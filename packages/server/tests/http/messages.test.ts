import fc from 'fast-check';
import { compileContract, stringifyJson } from 'contract-first-server/tools';
import { Problem } from 'contract-first-server';
import { renderPlain, toProblem } from '../../../../scripts/testing/plain-errors';
import { buildDocument, json } from '../../../../scripts/testing/service';

/** The places of client text in a message: the schema of a body, and the body for a name. */
const STRING = { type: 'string' };
const closed = { type: 'object', properties: {}, additionalProperties: false };
const FORM = 'application/x-www-form-urlencoded';
const encoded = encodeURIComponent;
type Sent = readonly [query: string, type: string, body: string];
const PLACES: Readonly<Record<string, (name: string) => Sent>> = {
  'a forbidden property': (name) => ['', 'application/json', JSON.stringify({ closed: { [name]: 1 } })],
  'a property of the wrong type': (name) => ['', 'application/json', JSON.stringify({ open: { [name]: 1 } })],
  'a property deep inside': (name) => [
    '',
    'application/json',
    JSON.stringify({ deep: { [name]: { [name]: 1 } } }),
  ],
  'a property that nothing evaluates': (name) => [
    '',
    'application/json',
    JSON.stringify({ strict: { [name]: 1 } }),
  ],
  'a forbidden name': (name) => ['', 'application/json', JSON.stringify({ named: { [name]: 1 } })],
  'a property given twice': (name) => {
    const text = JSON.stringify(name);
    return ['', 'application/json', `{${text}:1,${text}:2}`];
  },
  'an invalid character': (name) => ['', 'application/json', `{${name}`],
  'an unknown parameter': (name) => [`${encoded(name)}=1`, 'application/json', '{}'],
  'a property of a parameter': (name) => [
    `d[${encoded(name)}]=1&d[${encoded(name)}]=2`,
    'application/json',
    '{}',
  ],
  'a parameter of JSON': (name) => [`j=${encoded(`{${name}`)}`, 'application/json', '{}'],
  'a field of a form given twice': (name) => ['', FORM, `${encoded(name)}=1&${encoded(name)}=2`],
  'a field of a form that is not encoded': (name) => ['', FORM, `${encoded(name)}=%ff`],
  'a field of a form of the wrong type': (name) => ['', FORM, `${encoded(name)}=x`],
};

const free = (additionalProperties: object) => ({ type: 'object', additionalProperties });
const body = {
  type: 'object',
  properties: {
    closed,
    open: free(STRING),
    deep: free(free(STRING)),
    strict: { type: 'object', unevaluatedProperties: false },
    named: { propertyNames: { maxLength: 0 } },
  },
};
const [served] = compileContract(
  buildDocument({
    operation: {
      parameters: [
        { name: 'd', in: 'query', style: 'deepObject', schema: free(STRING) },
        { name: 'j', in: 'query', content: json({}) },
      ],
      requestBody: { content: { ...json(body), [FORM]: { schema: free({ type: 'integer' }) } } },
    },
  }),
  {},
).served.values();

function refusalOf([query, type, text]: Sent): unknown {
  const reader = served?.requests.accept(type, undefined);
  if (!reader) throw new Error('the document has no operation');
  try {
    served?.requests.read({ path: new Map(), query, rawHeaders: [] }, reader, Buffer.from(text));
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Long names with surrogate pairs at even and at odd offsets. */
const names = fc
  .tuple(
    fc.nat(420),
    fc.array(fc.constantFrom('\u{1f335}', '\u{10ffff}', '\ue000', 'a', '\u0301'), {
      minLength: 1,
      maxLength: 200,
    }),
  )
  .map(([before, characters]) => 'a'.repeat(before) + characters.join(''));

test.each(Object.keys(PLACES))('the message about %s is well-formed for any name', (place) => {
  fc.assert(
    fc.property(names, (name) => {
      const problem = toProblem(refusalOf(PLACES[place]?.(name) ?? ['', '', '']));
      expect(problem.kind).toMatch(/^(malformed|invalidRequest)$/);
      expect(problem.message).not.toContain('\ufffd');
      expect(stringifyJson(renderPlain(problem).body)).toContain('message');
      for (const { pointer, message } of problem.violations) {
        expect(pointer).toMatch(/^\/(path|query|header|cookie|body)/);
        expect(pointer.length).toBeLessThanOrEqual(200);
        expect((pointer + message).isWellFormed()).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});

test('a problem of a handler has a well-formed message too', () => {
  expect(new Problem('invalidRequest', 'there is no \u{1f335}'.slice(0, -1)).message).toBe(
    'there is no \ufffd',
  );
});
