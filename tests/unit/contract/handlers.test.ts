import { join } from 'node:path';
import ts from 'typescript';

const root = join(__dirname, '../../..');

/** Compiles sources that stand in src/handlers, under the flags of the project; returns what the compiler says. */
function compile(sources: Readonly<Record<string, string>>): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  options.noUnusedParameters = false; // not what this is about
  const host = ts.createCompilerHost(options);
  const file = (name: string) => join(root, 'src/handlers', name);
  const texts = new Map(
    Object.entries(sources).map(([name, text]) => [
      file(name),
      `import type { Handlers } from '.';\n${text}`,
    ]),
  );
  const getSourceFile = host.getSourceFile.bind(host);
  const fileExists = host.fileExists.bind(host);
  host.fileExists = (name) => texts.has(name) || fileExists(name);
  host.getSourceFile = (name, version, ...rest) => {
    const text = texts.get(name);
    return text === undefined
      ? getSourceFile(name, version, ...rest)
      : ts.createSourceFile(name, text, version);
  };
  const program = ts.createProgram([...texts.keys(), join(root, 'generated/openapi.d.ts')], options, host);
  return [...texts.keys()].map((name) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(name))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
      .join('\n'),
  );
}

const handler = (body: string) => `export const h: Handlers['createPlant'] = async (request) => { ${body} };`;

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
  ['a missing handler', `export const all: Handlers = {};`, /'createPlant' is missing/],
  [
    'an unknown handler',
    `export const all: Handlers = { createPlant: () => { throw 1; }, deletePlant: () => {} };`,
    /'deletePlant' does not exist/,
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
    handler(`return { status: 200, body: { name: request.body.color } };`),
    /'color' does not exist/,
  ],
  [
    'a parameter that is not documented',
    handler(`return { status: 200, body: { name: request.query.name } };`),
    /'query' does not exist/,
  ],
  [
    'a missing header that is required',
    handler(`return { status: 401, body: { error: 1, message: '' } };`),
    /not assignable/,
  ],
];

describe('the types tie a handler to the document', () => {
  const said = compile(Object.fromEntries(CASES.map(([, source], i) => [`case-${i}.ts`, source])));
  it.each(CASES.map(([name, , says], i) => [name, says, said[i]] as const))('%s', (_, says, diagnostics) => {
    expect(diagnostics).toMatch(says);
  });
});
