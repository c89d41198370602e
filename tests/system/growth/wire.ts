import { openApi, plainList, type Exchange, type Subject } from './adversary';
import { numbered, repeat, texts, type Text } from './inputs';
import { names, numbers, strings } from './json';

/** Puts a text into a request. */
type Place = (text: string) => Exchange;

const field =
  (name: string, before = ''): Place =>
  (text) => ({ headers: [[name, before + text]] });
const target =
  (before: string): Place =>
  (text) => ({ target: before + text });
const bodyOf =
  (type: string): Place =>
  (body) => ({ headers: [['Content-Type', type]], body });
/** An innocent request: a text of the size in its place. */
const filled =
  (place: Place, text: string) =>
  (size: number): Exchange =>
    place(repeat(text, size));

const done = { 204: { description: 'done' } };

/** One subject of requests to `/things`: what grows is put where `place` says. */
function subject(
  about: string,
  operation: object,
  inputs: readonly Text[],
  place: Place,
  innocent: (size: number) => Exchange,
  { paths, components }: { readonly paths?: object; readonly components?: object } = {},
): Subject {
  const things = { '/things': { post: { operationId: 'postThing', responses: done, ...operation } } };
  return {
    about,
    direction: 'in',
    document: openApi(paths ?? things, components),
    adversaries: inputs.map(({ name, make }) => ({ name, hostile: (size) => place(make(size)), innocent })),
  };
}

const SCHEMAS = {
  primitive: { type: 'integer', format: 'int64' },
  array: { type: 'array', items: { type: 'integer' } },
  object: {
    type: 'object',
    properties: { a: { type: 'integer' } },
    additionalProperties: { type: 'integer' },
  },
};

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

/** Parts that are all different, by their number. */
const separated =
  (delimiter: string, part: (index: number) => string) =>
  (size: number): string =>
    numbered(part, size).replaceAll(',', delimiter);

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

const FORM = 'application/x-www-form-urlencoded';
const taking = (type: string, media: object): object => ({ requestBody: { content: { [type]: media } } });
const asJson =
  (name: string): Place =>
  (text) => ({ target: `/things?${name}=${encodeURIComponent(text)}` });

function bodySubjects(): Subject[] {
  const { array, primitive } = SCHEMAS;
  const open = { type: 'object', properties: { plain: array, probe: {} } };
  const listing = { ...open, properties: { plain: array, probe: array }, additionalProperties: primitive };
  const keys = (part: (index: number) => string): Text => ({
    name: `${part(0)}&${part(1)}&...`,
    make: separated('&', part),
  });
  const pairs = [
    ...texts(['a', '&', '=', '+', '%20', '%', '&probe=1', 'probe=1&', '%5B', '[a]', ';', ','], {
      starts: ['', 'probe='],
      ends: ['', '%ff'],
    }),
    keys((i) => `n${i}=1`),
    keys((i) => `n${i}`),
    keys((i) => `probe=${i}`),
    keys((i) => `probe%5Bn${i}%5D=1`),
    keys((i) => `${i}=1`),
  ];
  const types = texts(
    [';', ' ', ';a=b', '; a="b"', '; a="\\"', 'a', '/', '"', '\\', ';charset=utf-8', '\t', 'a/a,'],
    {
      starts: ['', 'application/json', 'application/json;', 'application/json; a="', 'application/json; a='],
      ends: ['', 'x', '"', ' ;'],
    },
  );
  const text = bodyOf('text/plain');
  const letters = texts(['a', 'é', '\u{1f331}', '\ufeff', '\u0000']);
  const content = { 'application/json': { schema: {} } };
  const innocentForm = (size: number): Exchange => bodyOf(FORM)(repeat('plain=1&', size).slice(0, -1));
  return [
    subject('form, open', taking(FORM, { schema: open }), pairs, bodyOf(FORM), innocentForm),
    subject(
      'form, an array and others',
      taking(FORM, { schema: listing }),
      pairs,
      bodyOf(FORM),
      innocentForm,
    ),
    subject(
      'Content-Type',
      taking('application/json', {}),
      types,
      (type) => bodyOf(type)('{}'),
      (size) => bodyOf('application/json')(plainList(size)),
    ),
    subject(
      'text',
      taking('text/plain', { schema: { type: 'string', maxLength: 5 } }),
      letters,
      text,
      filled(text, 'plain'),
    ),
    subject(
      'JSON in a query parameter',
      { parameters: [{ name: 'probe', in: 'query', content }] },
      [...numbers, ...strings, ...names],
      asJson('probe'),
      (size) => asJson('probe')(plainList(size / 2)),
    ),
  ];
}

const RANGES = texts(
  [
    ...['text/plain', 'text/plain;q=0.1', ',', ' ', ';', ';q=', '*/*', '*/*;q=0', 'a/b', '"', 'a="b"'],
    ...['/', '0', '\t'],
  ],
  { starts: ['', 'text/plain;q=0.'], ends: ['', ',x', ', application/json'] },
);
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
    (given: Given): Exchange => ({ ...make(given), answer: '"done"' });
  const securitySchemes = Object.fromEntries(
    Object.entries(SCHEMES).map(([name, [, scheme]]) => [name, scheme]),
  );
  return [
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
