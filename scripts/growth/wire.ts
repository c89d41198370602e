import { type Exchange, type Subject } from './adversary';
import { bodySubjects } from './bodies';
import { done, field, filled, type Place, SCHEMAS, separated, subject, target } from './places';
import { numbered, texts, type Text } from './inputs';

/** Of each place: its styles, what its reader looks for, and how properties are separated. */
const PLACES = {
  query: {
    delimiter: '&',
    styles: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
    pieces: [
      ...['1', ',', '=', '&probe=1', '&', '%20', '|', '%7C', '+', '%5B'],
      ...['&probe%5Ba%5D=1', '[a]=1&probe', '&n=1'],
    ],
    ends: ['', '%', '%ff'],
    probe: target('/things?probe='),
    plain: target('/things?plain='),
  },
  header: {
    delimiter: ',',
    styles: ['simple'],
    pieces: ['1', ',', '=', ' ', '\t', 'a=1,', '"', '\\'],
    ends: ['', 'x'],
    probe: field('probe'),
    plain: field('plain'),
  },
  cookie: {
    delimiter: '; ',
    styles: ['form'],
    pieces: ['1', ';', '; ', ' ', '=', '; probe=1', '; a=1', ',', '%20', '"'],
    ends: ['', '%'],
    probe: field('Cookie', 'probe='),
    plain: field('Cookie', 'plain='),
  },
};

/** Whether the specification has no such parameter. */
const isUndefined = (style: string, explode: boolean, kind: string): boolean =>
  (style.includes('Delimited') && (explode || kind === 'primitive')) ||
  (style === 'deepObject' && (!explode || kind !== 'object'));

/** A parameter of each place, style and kind, exploded and not. */
const PARAMETERS = Object.entries(PLACES).flatMap(([place, { styles, ...more }]) =>
  styles.flatMap((style) =>
    Object.entries(SCHEMAS).flatMap(([kind, schema]) =>
      [true, false]
        .filter((explode) => !isUndefined(style, explode, kind))
        .map((explode) => ({ ...more, place, style, kind, schema, explode })),
    ),
  ),
);

const parameterSubjects = (): Subject[] =>
  PARAMETERS.map(({ place, style, kind, schema, explode, delimiter, pieces, ends, probe, plain }) => {
    const strings = { type: 'array', items: { type: 'string' } };
    const parameters = [
      { name: 'plain', in: place, schema: strings, explode: false },
      { name: 'probe', in: place, style, explode, schema },
    ];
    const inputs = [
      ...texts(pieces, { starts: ['', '1'], ends }),
      { name: 'different names', make: separated(delimiter, (i) => `n${i}=1`) },
      { name: 'different names in a list', make: (size: number) => numbered((i) => `n${i},1`, size) },
    ];
    const about = `${place} ${style}${explode ? ', exploded' : ''}: ${kind}`;
    return subject(about, { parameters }, inputs, probe, filled(plain, 'plain,text,'));
  });

/** Templates with one, two and three parameters in a segment, literals between them, and siblings that match the same. */
const TEMPLATES = [
  ['/{a}'],
  ['/{a}.json', '/{a}.xml', '/{a}'],
  ['/{a}-{b}'],
  ['/{a}{b}'],
  ['/{a}-{b}-{c}.png'],
  ['/{a}.{b}.{c}.{d}.{e}'],
  ['/{a}--{b}--{c}'],
  ['/{a}ab{b}ab{c}', '/{a}a{b}a{c}x'],
  ['/{a}/x/{b}', '/y{a}/x/{b}z'],
  Array.from(
    { length: 12 },
    (_, i) => `/${Array.from({ length: 12 }, (_v, j) => (j < i ? `{p${j}}` : `p{p${j}}`)).join('/')}`,
  ),
];

const pathSubjects = (): Subject[] =>
  TEMPLATES.map((templates) => {
    const operations = ['/plain/{a}', ...templates.map((template) => `/things${template}`)].map((path, i) => {
      const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
        return { name, in: 'path', required: true, schema: { type: 'string' } };
      });
      return [path, { post: { operationId: `operation${i}`, parameters, responses: done } }];
    });
    const paths = Object.fromEntries(operations) as object;
    const pieces = ['-', 'a', '.', 'ab', '--', '-.', '%2D', 'p/', '/', 'x/p', 'z/x/'];
    const inputs = texts(pieces, { starts: ['', 'p'], ends: ['', '.png', '/', 'x', '%', '%ff'] });
    const shown = templates.length > 3 ? `${templates.length} of ${templates[0] ?? ''}` : templates.join(' ');
    const innocent = filled(target('/plain/'), 'plain');
    return subject(`path ${shown}`, {}, inputs, target('/things/'), innocent, { paths });
  });

const RANGES = texts(
  [
    ...['text/plain', 'text/plain;q=0.1', ',', ' ', ';', ';q=', '*/*', '*/*;q=0', 'a/b', '"', 'a="b"'],
    ...['/', '0', '\t'],
  ],
  { starts: ['', 'text/plain;q=0.'], ends: ['', ',x', ', application/json'] },
);
const CODINGS = texts(['br', 'gzip;q=0.1', ',', ' ', ';', ';q=', '*', 'identity;q=0', '"', '0', '\t'], {
  starts: ['', 'br;q=0.'],
  ends: ['', ',x', ', *;q=0'],
});
const TAGS = texts(['"a"', 'W/"a"', ',', ' ', '"', 'W/', '*', 'a', '""', '\t', '\\'], {
  starts: ['', '"', 'W/"a",'],
  ends: ['', 'x', ', "b"'],
});
const BYTES = texts(['0', '9', '-', '1-2', ',', '1-2,', ' ', '=', 'bytes='], {
  starts: ['', 'bytes=', 'bytes=-', 'bytes=0-', 'bytes=1-1,'],
  ends: ['', 'x', '-'],
});
const DATES = texts(['Sun, ', '06', ' ', 'Nov', '1994 ', '08:', '0', 'GMT', ':', '-'], {
  starts: ['', 'Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-'],
  ends: ['', ' GMT'],
});
const credentials = (scheme: string): Text[] =>
  texts([' ', 'a', '=', 'a=', '.', '/', '+', ',', '"', '\t', `${scheme} `], {
    starts: [scheme, `${scheme} `, `${scheme} a`],
    ends: ['', '=', ' x'],
  });
const KEYS = texts(['a', '=', ';', '; session=a', ' ', '&', '&key=a', '%20', '+', '%'], {
  ends: ['', '%ff'],
});

/** The name of a subject, its security scheme, what grows, and where. */
type Secured = readonly [string, object, Text[], Place];
const http = (scheme: string): Secured => [
  `Authorization: ${scheme}`,
  { type: 'http', scheme },
  credentials(scheme),
  field('Authorization'),
];
const apiKey = (about: string, carrier: string, name: string, place: Place): Secured => [
  `an API key in ${about}`,
  { type: 'apiKey', in: carrier, name },
  KEYS,
  place,
];
const inQuery: Place = (text) => target('/things?key=')(text.replaceAll(' ', '+'));
const SCHEMES: Readonly<Record<string, Secured>> = {
  bearer: http('bearer'),
  basic: http('basic'),
  header: apiKey('a header', 'header', 'X-Api-Key', field('X-Api-Key')),
  query: apiKey('the query', 'query', 'key', inQuery),
  cookie: apiKey('a cookie', 'cookie', 'session', field('Cookie', 'session=')),
};

function headerSubjects(): Subject[] {
  const innocent = filled(field('X-Other'), 'plain');
  const content = { 'application/json': {}, 'text/plain': {}, 'text/*': {} };
  const responses = { 200: { description: 'done', content } };
  const answered =
    <Given>(make: (given: Given) => Exchange) =>
    (given: Given): Exchange => ({ ...make(given), answer: JSON.stringify('done'.repeat(500)) });
  const securitySchemes = Object.fromEntries(
    Object.entries(SCHEMES).map(([name, [, scheme]]) => [name, scheme]),
  );
  const file = {
    200: {
      description: 'done',
      headers: { ETag: { schema: {} } },
      content: { 'application/octet-stream': {} },
    },
  };
  const states = Object.fromEntries(
    ['206', '304', '412', '416'].map((status) => [status, { description: status }]),
  );
  const get = { operationId: 'getThing', responses: { ...file, ...states } };
  const paths = { '/things': { get } };
  const reply = () => ({ status: 200, headers: { ETag: '"b"' }, body: Buffer.alloc(2_000) });
  const asked =
    <Given>(make: (given: Given) => Exchange) =>
    (given: Given): Exchange => ({ ...make(given), method: 'GET', reply });
  const conditional = (name: string, inputs: readonly Text[]) =>
    subject(name, {}, inputs, asked(field(name)), asked(innocent), { paths });
  return [
    ...['If-Match', 'If-None-Match', 'If-Range'].map((name) => conditional(name, TAGS)),
    ...['If-Modified-Since', 'If-Unmodified-Since'].map((name) => conditional(name, DATES)),
    conditional('Range', BYTES),
    subject(
      'Accept-Encoding',
      { responses },
      CODINGS,
      answered(field('Accept-Encoding')),
      answered(innocent),
    ),
    subject('Accept', { responses }, RANGES, answered(field('Accept')), answered(innocent)),
    ...Object.entries(SCHEMES).map(([name, [about, , inputs, place]]) =>
      subject(about, { security: [{ [name]: [] }] }, inputs, place, innocent, {
        components: { securitySchemes },
      }),
    ),
  ];
}

/** Every reader of a request but that of JSON. */
export const wireSubjects = (): Subject[] => [
  ...pathSubjects(),
  ...parameterSubjects(),
  ...bodySubjects(),
  ...headerSubjects(),
];
