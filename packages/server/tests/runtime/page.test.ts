import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import type { JsonObject } from 'contract-first-server';
// The scripts are no modules of Jest: by this, `make faults` knows that this suite sees them.
import '../../src/runtime/page/docs';

// What the scripts of the documentation page do without a browser. The suites *.browser.ts show the page itself.

/** The globals of Node, outside of the sandbox of Jest, which loads no ES modules. */
const page = runInThisContext('globalThis') as typeof globalThis & Record<string, unknown>;
const load = page.process
  .getBuiltinModule('module')
  .createRequire(join(__dirname, '../../src/runtime/page/browser/main.mjs'));

beforeAll(() => {
  Object.assign(page, BROWSER);
});
afterAll(() => {
  for (const name of Object.keys(BROWSER)) Reflect.deleteProperty(page, name);
});

/** A control of Swagger UI, by what selectors find around it and inside of that. */
interface Control {
  readonly around: Readonly<Record<string, { readonly dataset?: object; readonly querySelector?: object }>>;
  readonly more?: object;
}
let controls: object[] = [];

/** What the scripts ask of a browser. */
const BROWSER = {
  location: { href: 'http://localhost/prefix/-/docs' },
  matchMedia: () => ({}),
  document: {
    querySelectorAll: (selector: string) => (selector.startsWith('select') ? controls : []),
    querySelector: () => null,
  },
  requestAnimationFrame: (work: () => void) => {
    work();
  },
  MutationObserver: class {
    constructor(readonly changed: () => void) {}
    observe() {
      this.changed();
    }
  },
};

interface Asked {
  readonly pathName: string;
  readonly method: string;
  readonly userFetch?: (url: string, request: object) => Promise<Response>;
}

interface StreamsPlugin {
  readonly afterLoad: (this: { fn: { execute(asked: Asked): Promise<unknown> } }, system: object) => void;
  readonly wrapComponents: {
    readonly liveResponse: (
      Original: string,
      system: object,
    ) => (props: { path: string; method: string }) => unknown;
  };
}

describe('the servers of the page', () => {
  const serversOf = (...urls: string[]) => {
    const { prepareContract } = load('./contract.mjs') as {
      readonly prepareContract: (contract: JsonObject) => void;
    };
    const contract = { servers: urls.map((url) => ({ url })) };
    prepareContract(contract);
    return contract.servers.map(({ url }) => url);
  };

  it.each(['/v1', './v1', '../v1', '/v1?a=b', 'v1#c'])('a server %j is below the page', (url) => {
    expect(serversOf(url)).toEqual(['http://localhost/prefix/v1']);
  });

  it('a server elsewhere follows this server with its path', () => {
    const elsewhere = 'https://a.example/v1';
    expect(serversOf(elsewhere)).toEqual(['http://localhost/prefix/v1', elsewhere]);
  });
});

describe('the response of an operation', () => {
  const element = (type: string, _: object, ...children: unknown[]) =>
    type === 'Original' ? [type] : children.flat().filter(Boolean);

  /** What the page shows after it has executed an operation with this URL. */
  const shownFor = async (method: string, url?: string) => {
    const { streamsPlugin } = load('./streams.mjs') as {
      streamsPlugin: StreamsPlugin;
    };
    const asked = { pathName: '/things', method };
    const fn = {
      execute: ({ userFetch }: Asked): Promise<unknown> => Promise.resolve(userFetch?.(url ?? '', {})),
    };
    streamsPlugin.afterLoad.call({ fn }, { specActions: { setResponse: () => undefined } });
    if (url !== undefined) await fn.execute(asked);
    const Live = streamsPlugin.wrapComponents.liveResponse('Original', { React: { createElement: element } });
    return Live({ path: asked.pathName, method });
  };

  it.each([
    ['data: 1\n\n', '1 item; the stream has ended'],
    [': a comment\n\ndata: 1\n\ndata: 2\n\n', '2 items; the stream has ended'],
    ['data: 1\n\ndata: 2', '2 items; the stream has ended'],
    ['', '0 items; the stream has ended'],
  ])('the stream %j: %s', async (text, state) => {
    const url = `data:text/event-stream,${encodeURIComponent(text)}`;
    expect(await shownFor('get', url)).toEqual([state, ' ', 'Original']);
  });

  it('an operation that was not executed has nothing of a stream', async () => {
    expect(await shownFor('delete')).toEqual(['Original']);
  });
});

describe('code samples', () => {
  interface Code {
    readonly secret: (name: string) => string;
    readonly LANGUAGES: Readonly<Record<string, readonly [string, (message: object) => string]>>;
  }
  const written = (language: string, message: (secret: Code['secret']) => object) => {
    const { secret, LANGUAGES } = load('./code.mjs') as Code;
    return LANGUAGES[language]?.[1](message(secret));
  };
  const schema = {
    allOf: [{ properties: { id: { type: 'integer', format: 'int64' } } }, { properties: { name: {} } }],
  };
  const body = '{"id": 9223372036854775807, "name": "it\'s"}';
  const plant = (secret: Code['secret']) => ({
    method: 'POST',
    url: 'http://localhost/plants',
    headers: { Authorization: `Bearer ${secret('TOKEN')}`, 'Content-Type': 'application/json' },
    body,
    type: 'application/json',
    base: 'http://localhost',
    operationId: 'createPlant',
    credentials: { bearer: 'token' },
    parameters: [],
    content: { value: body, schema },
  });

  test('curl keeps the digits of an int64, and takes the token from a variable', () => {
    expect(written('curl', plant)).toBe(`curl 'http://localhost/plants' \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  --data-raw '{"id": 9223372036854775807, "name": "it'\\''s"}'`);
  });

  test('fetch sends a text whose digits JavaScript would change, and any other value as JSON', () => {
    expect(written('fetch', plant)).toBe(`const response = await fetch('http://localhost/plants', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${token}\`,
    'Content-Type': 'application/json',
  },
  body: '{"id": 9223372036854775807, "name": "it\\'s"}',
});`);
    expect(written('fetch', (secret) => ({ ...plant(secret), body: '{"id": 1}' }))).toContain(
      'body: JSON.stringify({\n    id: 1,\n  }),',
    );
  });

  test('the client takes an int64 as a bigint, and parameters by their location', () => {
    const parameters = [{ in: 'query', name: 'max-age', schema: { type: 'integer' }, value: '5' }];
    expect(written('TypeScript client', (secret) => ({ ...plant(secret), parameters })))
      .toBe(`import { createClient } from './client';

const api = createClient({
  baseUrl: 'http://localhost',
  credentials: { bearer: token },
});
const answer = await api.createPlant({
  query: {
    'max-age': 5,
  },
  body: {
    id: 9223372036854775807n,
    name: 'it\\'s',
  },
});`);
  });

  test('a form is sent part by part, and a key in the query is a variable', () => {
    const form = new page.FormData();
    form.append('title', 'Fern');
    form.append('photo', new page.File([], 'a.png'));
    const upload = (secret: Code['secret']) => ({
      method: 'PUT',
      url: `http://localhost/?key=${secret('API_KEY')}`,
      headers: {},
      body: form,
    });
    expect(written('curl', upload)).toBe(
      `curl -X PUT "http://localhost/?key=$API_KEY" \\\n  -F 'title=Fern' \\\n  -F 'photo=@file'`,
    );
    expect(written('fetch', upload)).toBe(`const form = new FormData();
form.append('title', 'Fern');
form.append('photo', file);

const response = await fetch(\`http://localhost/?key=\${apiKey}\`, {
  method: 'PUT',
  body: form,
});`);
  });
});

describe('schemas', () => {
  interface Schemas {
    readonly typeOf: (schema: object) => string;
    readonly withExamples: (schema: object) => { readonly properties: Record<string, { example?: unknown }> };
  }
  const { typeOf, withExamples } = load('./schemas.mjs') as Schemas;
  const named = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const object = { type: 'object' };

  test.each<[type: string, schema: object]>([
    ['integer | null', { type: ['integer', 'null'] }],
    ['string | null', { type: 'string', nullable: true }],
    ['Plant[]', { type: 'array', items: named('Plant') }],
    ['(Plant | string)[]', { items: { oneOf: [named('Plant'), { type: 'string' }] } }],
    ['[string, any]', { prefixItems: [{ type: 'string' }, true] }],
    ['object', { allOf: [object, { properties: {} }] }],
    ['Plant & object', { allOf: [named('Plant'), object] }],
    ['Cat | Dog', { anyOf: [named('Cat'), named('Dog')] }],
    ['string', { enum: ['a', 'b'] }],
    ['any', {}],
  ])('a type is said in words: %s', (type, schema) => {
    expect(typeOf(schema)).toBe(type);
  });

  test('an example value is that of the schema, else one that its name suggests and its bounds allow', () => {
    const string = { type: 'string' };
    const properties = {
      name: string,
      email: string,
      coverColor: string,
      tag: { type: 'string', maxLength: 3 },
      kind: { type: 'string', enum: ['oil'] },
      born: { type: 'string', format: 'date' },
      told: { type: 'string', example: 'x' },
      year: { type: 'integer' },
      size: { type: 'integer', minimum: 40 },
      id: { type: 'integer', format: 'int64' },
    };
    const { properties: found } = withExamples({ ...named('NewPlant'), properties });
    expect(Object.fromEntries(Object.entries(found).map(([name, { example }]) => [name, example]))).toEqual({
      name: 'Plant 1',
      email: 'ada@example.com',
      coverColor: 'green',
      told: 'x',
      year: 2024,
      size: 40,
      id: 1,
    });
  });
});

describe('a control without a name is named', () => {
  const scheme = {
    querySelector: (selector: string) => (selector === 'h4 code' ? { textContent: 'token' } : null),
  };
  test.each<[name: string, control: Control]>([
    [
      'limit (query)',
      { around: { '[data-param-name]': { dataset: { paramName: 'limit', paramIn: 'query' } } } },
    ],
    [
      'title',
      { around: { '[data-property-name]': { dataset: { propertyName: 'title' } }, '.body-param': {} } },
    ],
    ['Request body', { around: { '.body-param': {} } }],
    ['Server', { around: { '.servers': {} } }],
    ['Server variable port', { around: { '.servers': {} }, more: { dataset: { variable: 'port' } } }],
    ['token', { around: { '.auth-container': scheme } }],
    ['Examples', { around: {} }],
  ])('%s', (name, { around, more }) => {
    const names: string[] = [];
    const control = {
      dataset: {},
      hasAttribute: () => false,
      closest: (selector: string) => around[selector] ?? null,
      setAttribute: (attribute: string, value: string) => names.push(`${attribute}: ${value}`),
      ...more,
    };
    controls = [control];
    const { watchControls } = load('./look.mjs') as {
      readonly watchControls: (node: object) => void;
    };
    watchControls({});
    expect(names).toEqual([`aria-label: ${name}`]);
  });
});
