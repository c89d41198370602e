import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import ts from 'typescript';
import { buildDocument, json } from '../../support/service';

const root = join(__dirname, '../../..');

const object = (properties: object) => ({ type: 'object', properties, required: Object.keys(properties) });
const error = json(object({ error: { type: 'integer' }, message: { type: 'string' } }));
const DOCUMENT = buildDocument({
  security: [{ bearerAuth: [] }],
  components: {
    securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Secret: { type: 'string' },
      Thing: {
        type: 'object',
        required: ['name', 'secret'],
        properties: {
          name: { type: 'string' },
          secret: { $ref: '#/components/schemas/Secret', writeOnly: true },
          made: { type: 'string', readOnly: true },
          color: { $ref: '#/components/schemas/Color' },
          either: { anyOf: [{ type: 'string', writeOnly: true }, { type: 'null' }] },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Part' } },
        },
      },
      Color: { type: 'string', default: 'green' },
      Part: { type: 'object', properties: { size: { type: 'integer', default: 1 } } },
      Open: {
        type: 'object',
        properties: { name: { type: 'string' } },
        additionalProperties: { type: 'string' },
      },
      Pet: {
        type: 'object',
        required: ['kind'],
        properties: { kind: { type: 'string' }, age: { type: 'integer', default: 1 } },
        discriminator: { propertyName: 'kind' },
      },
      Dog: {
        allOf: [
          { $ref: '#/components/schemas/Pet' },
          { type: 'object', required: ['packSize'], properties: { packSize: { type: 'integer' } } },
        ],
      },
    },
  },
  operation: {
    parameters: [
      { name: 'limit', in: 'query', schema: { type: 'integer', default: 10 } },
      { name: 'page', in: 'query', schema: { type: 'integer' } },
    ],
    requestBody: {
      required: true,
      content: json({
        allOf: [
          { $ref: '#/components/schemas/Thing' },
          object({ id: { type: 'integer', format: 'int64' } }),
          {
            properties: {
              open: { $ref: '#/components/schemas/Open' },
              dog: { $ref: '#/components/schemas/Dog' },
            },
          },
          { required: ['made'] },
        ],
      }),
    },
    responses: {
      200: { description: 'done', content: json({ $ref: '#/components/schemas/Thing' }) },
      400: { description: 'refused', content: error },
      401: {
        description: 'who is it?',
        headers: { 'WWW-Authenticate': { required: true, schema: { type: 'string' } } },
        content: error,
      },
    },
  },
});

/** What `make generate` makes of the document. Jest cannot load openapi-typescript: a process of its own does. */
function typesOfDocument(): string {
  const code = `require('./scripts/publish').typesOf(JSON.parse(process.argv[1])).then(console.log)`;
  const args = ['--import', 'tsx', '-e', code, JSON.stringify(DOCUMENT)];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return stdout;
}

const HANDLERS = `
  import type { Handlers as HandlersOf } from '../../../src/contract/handlers';
  import type { operations, security } from './openapi';
  export type Handlers = HandlersOf<operations, security, { readonly bearerAuth: { readonly id: string } }>;`;

/**
 * Compiles sources beside the types of the document, none of them on the disk, under the flags of the project; returns
 * what the compiler says of each.
 */
function compile(sources: readonly string[]): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const file = (name: string) => join(__dirname, name);
  const cases = sources.map((source, i) => [file(`case-${i}.ts`), source] as const);
  const texts = new Map([
    [file('openapi.d.ts'), typesOfDocument()],
    [file('handlers.ts'), HANDLERS],
    ...cases.map(([name, text]) => [name, `import type { Handlers } from './handlers';\n${text}`] as const),
  ]);
  const getSourceFile = host.getSourceFile.bind(host);
  const fileExists = host.fileExists.bind(host);
  host.fileExists = (name) => texts.has(name) || fileExists(name);
  host.getSourceFile = (name, version, ...rest) => {
    const text = texts.get(name);
    return text === undefined
      ? getSourceFile(name, version, ...rest)
      : ts.createSourceFile(name, text, version);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return cases.map(([name]) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(name))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
      .join('\n'),
  );
}

const handler = (body: string) => `export const h: Handlers['postThing'] = async (request) => { ${body} };`;

/** What stands in a handler's place, and what the compiler must say of it (nothing: it compiles). */
const CASES: [name: string, source: string, says: RegExp][] = [
  ['a documented answer', handler(`return { status: 200, body: { name: request.body.name } };`), /^$/],
  ['another documented answer', handler(`return { status: 400, body: { error: 1, message: '' } };`), /^$/],
  [
    'the id is a bigint',
    handler(`const id: bigint = request.body.id; return { status: 200, body: { name: String(id) } };`),
    /^$/,
  ],
  [
    'the principal is there',
    handler(`return { status: 200, body: { name: request.principal.bearerAuth.id } };`),
    /^$/,
  ],
  [
    'what is writeOnly is in the request',
    handler(`const secret: string = request.body.secret; return { status: 200, body: { name: secret } };`),
    /^$/,
  ],
  [
    'what is readOnly is not in the request',
    handler(`return { status: 200, body: { name: String(request.body.made) } };`),
    /'made' does not exist/,
  ],
  [
    'what is readOnly may be answered',
    handler(`return { status: 200, body: { name: '', made: '' } };`),
    /^$/,
  ],
  [
    'what has a default is in the request',
    handler(
      `const color: string = request.body.color; const size: number | undefined = request.body.parts?.[0]?.size ?? undefined;
       const limit: number = request.query.limit; return { status: 200, body: { name: color + size + limit } };`,
    ),
    /^$/,
  ],
  [
    'also where it is nested',
    handler(
      `const [part] = request.body.parts ?? []; const size: number = part === undefined ? 0 : part.size;
       return { status: 200, body: { name: String(size) } };`,
    ),
    /^$/,
  ],
  [
    'a parameter without a default may be absent',
    handler(`const page: number = request.query.page; return { status: 200, body: { name: String(page) } };`),
    /'undefined' is not assignable to type 'number'/,
  ],
  ['what has a default need not be answered', handler(`return { status: 200, body: { name: '' } };`), /^$/],
  [
    'what is writeOnly in a branch is not answered',
    handler(`return { status: 200, body: { name: '', either: '' } };`),
    /'""' is not assignable to type 'null'|string' is not assignable to type 'null'/,
  ],
  [
    'a schema that opens itself lets other properties through',
    handler(`return { status: 200, body: { name: request.body.open?.['anything'] ?? '' } };`),
    /^$/,
  ],
  [
    'a subtype has the name by which the document knows it',
    handler(`const kind: 'Dog' | undefined = request.body.dog?.kind; const age: number | undefined = request.body.dog?.age;
       return { status: 200, body: { name: String(kind) + String(age) } };`),
    /^$/,
  ],
  ['a missing handler', `export const all: Handlers = {};`, /'postThing' is missing/],
  [
    'an unknown handler',
    `export const all: Handlers = { postThing: () => { throw 1; }, deleteThing: () => {} };`,
    /'deleteThing' does not exist/,
  ],
  [
    'an undocumented status',
    handler(`return { status: 404, body: { error: 1, message: '' } };`),
    /'404' is not assignable/,
  ],
  ['a body of the wrong shape', handler(`return { status: 200, body: { title: '' } };`), /name|title/],
  [
    'a body with the wrong type',
    handler(`return { status: 200, body: { name: 1 } };`),
    /'number' is not assignable to type 'string'/,
  ],
  [
    'a body with the properties of another status',
    handler(`return { status: 400, body: { name: '' } };`),
    /not assignable/,
  ],
  ['no body', handler(`return { status: 200 };`), /not assignable/],
  ['nothing', handler(``), /not assignable/],
  [
    'a property that is not documented',
    handler(`return { status: 200, body: { name: request.body.weight } };`),
    /'weight' does not exist/,
  ],
  [
    'a parameter that is not documented',
    handler(`return { status: 200, body: { name: request.query.name } };`),
    /'name' does not exist/,
  ],
  [
    'a missing header that is required',
    handler(`return { status: 401, body: { error: 1, message: '' } };`),
    /not assignable/,
  ],
];

describe('the types tie a handler to the document', () => {
  const said = compile(CASES.map(([, source]) => source));
  it.each(CASES.map(([name, , says], i) => [name, says, said[i]] as const))('%s', (_, says, diagnostics) => {
    expect(diagnostics).toMatch(says);
  });
});
