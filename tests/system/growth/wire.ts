import { openApi, plainList, type Adversary, type Exchange, type Subject } from './adversary';
import { numbered, repeat, texts, type Text } from './inputs';
import { names, numbers, strings } from './json';

const done = { 204: { description: 'done' } };
const PLAIN = 'plain,text,';

/** One subject of requests to `/things`: what grows is put where `place` says. */
function subject(
  about: string,
  operation: object,
  inputs: readonly Text[],
  place: (text: string) => Exchange,
  innocent: (size: number) => Exchange,
  more: { readonly paths?: object; readonly components?: object } = {},
): Subject {
  const paths = more.paths ?? {
    '/things': { post: { operationId: 'postThing', responses: done, ...operation } },
  };
  const adversaries = inputs.map(({ name, make }): Adversary => ({
    name,
    hostile: (size) => place(make(size)),
    innocent,
  }));
  return { about, direction: 'in', document: openApi(paths, more.components), adversaries };
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

/** Properties of different names, exploded and not. */
const properties = (delimiter: string): Text[] => [
  { name: 'different names', make: (size) => numbered((i) => `n${i}=1`, size).replaceAll(',', delimiter) },
  { name: 'different names in a list', make: (size) => numbered((i) => `n${i},1`, size) },
];

/** Of each place: its styles, and what its reader looks for. */
const PLACES = {
  query: {
    delimiter: '&',
    styles: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
    pieces: [
      '1',
      ',',
      '=',
      '&probe=1',
      '&',
      '%20',
      '|',
      '%7C',
      '+',
      '%5B',
      '&probe%5Ba%5D=1',
      '[a]=1&probe',
      '&n=1',
    ],
    ends: ['', '%', '%ff'],
    place: (text: string): Exchange => ({ target: `/things?probe=${text}` }),
    innocent: (size: number): Exchange => ({ target: `/things?plain=${repeat(PLAIN, size)}` }),
  },
  header: {
    delimiter: ',',
    styles: ['simple'],
    pieces: ['1', ',', '=', ' ', '\t', 'a=1,', '"', '\\'],
    ends: ['', 'x'],
    place: (text: string): Exchange => ({ headers: [['probe', text]] }),
    innocent: (size: number): Exchange => ({ headers: [['plain', repeat(PLAIN, size)]] }),
  },
  cookie: {
    delimiter: '; ',
    styles: ['form'],
    pieces: ['1', ';', '; ', ' ', '=', '; probe=1', '; a=1', ',', '%20', '"'],
    ends: ['', '%'],
    place: (text: string): Exchange => ({ headers: [['Cookie', `probe=${text}`]] }),
    innocent: (size: number): Exchange => ({ headers: [['Cookie', `plain=${repeat(PLAIN, size)}`]] }),
  },
} as const;

function parameterSubjects(): Subject[] {
  return Object.entries(PLACES).flatMap(
    ([place, { delimiter, styles, pieces, ends, place: put, innocent }]) =>
      styles.flatMap((style) =>
        Object.entries(SCHEMAS).flatMap(([kind, schema]) =>
          [true, false].flatMap((explode) => {
            const undefinedStyle =
              (style.includes('Delimited') && (explode || kind === 'primitive')) ||
              (style === 'deepObject' && (!explode || kind !== 'object'));
            if (undefinedStyle) return [];
            const plain = {
              name: 'plain',
              in: place,
              schema: { type: 'array', items: { type: 'string' } },
              explode: false,
            };
            const probe = { name: 'probe', in: place, style, explode, schema };
            const about = `${place} ${style}${explode ? ', exploded' : ''}: ${kind}`;
            const inputs = [...texts(pieces, { starts: ['', '1'], ends }), ...properties(delimiter)];
            return [subject(about, { parameters: [plain, probe] }, inputs, put, innocent)];
          }),
        ),
      ),
  );
}

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
  [
    ...Array.from(
      { length: 12 },
      (_, i) => `/${Array.from({ length: 12 }, (_v, j) => (j < i ? `{p${j}}` : `p{p${j}}`)).join('/')}`,
    ),
  ],
];

function pathSubjects(): Subject[] {
  return TEMPLATES.map((templates) => {
    const paths = Object.fromEntries(
      ['/plain/{a}', ...templates.map((template) => `/things${template}`)].map((path, i) => {
        const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
          return { name, in: 'path', required: true, schema: { type: 'string' } };
        });
        return [path, { post: { operationId: `operation${i}`, parameters, responses: done } }];
      }),
    );
    const pieces = ['-', 'a', '.', 'ab', '--', '-.', '%2D', 'p/', '/', 'x/p', 'z/x/'];
    const inputs = texts(pieces, { starts: ['', 'p'], ends: ['', '.png', '/', 'x', '%', '%ff'] });
    const shown = templates.length > 3 ? `${templates.length} of ${templates[0] ?? ''}` : templates.join(' ');
    const place = (text: string): Exchange => ({ target: `/things/${text}` });
    const innocent = (size: number): Exchange => ({ target: `/plain/${repeat('plain', size)}` });
    return subject(`path ${shown}`, {}, inputs, place, innocent, { paths });
  });
}

const FORM = 'application/x-www-form-urlencoded';
const bodyOf = (type: string, body: string): Exchange => ({ headers: [['Content-Type', type]], body });

function bodySubjects(): Subject[] {
  const anything = { properties: { plain: SCHEMAS.array, probe: {} } };
  const form = (schema: object): object => ({ requestBody: { content: { [FORM]: { schema } } } });
  const keys = (make: (index: number) => string): Text => ({
    name: `${make(0)}&${make(1)}&...`,
    make: (size) => {
      const pairs: string[] = [];
      for (let length = 0; length < size; length += (pairs.at(-1)?.length ?? 0) + 1)
        pairs.push(make(pairs.length));
      return pairs.join('&');
    },
  });
  const inputs = [
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
  const innocentForm = (size: number): Exchange => bodyOf(FORM, repeat('plain=1&', size).slice(0, -1));
  const json = { requestBody: { content: { 'application/json': {} } } };
  const typed = (field: string): Exchange => bodyOf(field, '{}');
  const innocentJson = (size: number): Exchange => bodyOf('application/json', plainList(size));
  const types = texts(
    [';', ' ', ';a=b', '; a="b"', '; a="\\"', 'a', '/', '"', '\\', ';charset=utf-8', '\t', 'a/a,'],
    {
      starts: ['', 'application/json', 'application/json;', 'application/json; a="', 'application/json; a='],
      ends: ['', 'x', '"', ' ;'],
    },
  );
  return [
    subject(
      'form, open',
      form({ type: 'object', ...anything }),
      inputs,
      (text) => bodyOf(FORM, text),
      innocentForm,
    ),
    subject(
      'form, an array and others',
      form({
        type: 'object',
        properties: { plain: SCHEMAS.array, probe: SCHEMAS.array },
        additionalProperties: { type: 'integer', format: 'int64' },
      }),
      inputs,
      (text) => bodyOf(FORM, text),
      innocentForm,
    ),
    subject('Content-Type', json, types, typed, innocentJson),
    subject(
      'text',
      { requestBody: { content: { 'text/plain': { schema: { type: 'string', maxLength: 5 } } } } },
      texts(['a', 'é', '\u{1f331}', '\ufeff', '\u0000']),
      (text) => bodyOf('text/plain', text),
      (size) => bodyOf('text/plain', repeat('plain', size)),
    ),
    subject(
      'JSON in a query parameter',
      { parameters: [{ name: 'probe', in: 'query', content: { 'application/json': { schema: {} } } }] },
      [...numbers, ...strings, ...names],
      (text) => ({ target: `/things?probe=${encodeURIComponent(text)}` }),
      (size) => ({ target: `/things?probe=${encodeURIComponent(plainList(size / 2))}` }),
    ),
  ];
}

const SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  header: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
};

function headerSubjects(): Subject[] {
  const innocent = (size: number): Exchange => ({ headers: [['X-Other', repeat('plain', size)]] });
  const responses = {
    200: { description: 'done', content: { 'application/json': {}, 'text/plain': {}, 'text/*': {} } },
  };
  const ranges = [
    'text/plain',
    'text/plain;q=0.1',
    ',',
    ' ',
    ';',
    ';q=',
    '*/*',
    '*/*;q=0',
    'a/b',
    '"',
    'a="b"',
    '/',
    '0',
    '\t',
  ];
  const accept = texts(ranges, { starts: ['', 'text/plain;q=0.'], ends: ['', ',x', ', application/json'] });
  const secure = (name: keyof typeof SCHEMES): object => ({ security: [{ [name]: [] }] });
  const components = { securitySchemes: SCHEMES };
  const authorization = (scheme: string): Text[] =>
    texts([' ', 'a', '=', 'a=', '.', '/', '+', ',', '"', '\t', `${scheme} `], {
      starts: [scheme, `${scheme} `, `${scheme} a`],
      ends: ['', '=', ' x'],
    });
  const keys = texts(['a', '=', ';', '; session=a', ' ', '&', '&key=a', '%20', '+', '%'], {
    ends: ['', '%ff'],
  });
  return [
    subject(
      'Accept',
      { responses },
      accept,
      (text) => ({ headers: [['Accept', text]], answer: '"done"' }),
      (size) => ({
        ...innocent(size),
        answer: '"done"',
      }),
    ),
    ...(['bearer', 'basic'] as const).map((scheme) =>
      subject(
        `Authorization: ${scheme}`,
        secure(scheme),
        authorization(scheme),
        (text) => ({ headers: [['Authorization', text]] }),
        innocent,
        { components },
      ),
    ),
    subject(
      'an API key in a header',
      secure('header'),
      keys,
      (text) => ({ headers: [['X-Api-Key', text]] }),
      innocent,
      { components },
    ),
    subject(
      'an API key in the query',
      secure('query'),
      keys,
      (text) => ({ target: `/things?key=${text.replaceAll(' ', '+')}` }),
      innocent,
      { components },
    ),
    subject(
      'an API key in a cookie',
      secure('cookie'),
      keys,
      (text) => ({ headers: [['Cookie', `session=${text}`]] }),
      innocent,
      { components },
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
