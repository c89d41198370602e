import { writeFileSync } from 'node:fs';
import ts from 'typescript';
import { parseDocument, stringify } from 'yaml';
import { documentFiles } from '../../src/new/document-files';
import { layOut } from '../../src/new/layout';
import { namesFrom } from '../../src/new/names';
import { readSource } from '../../src/document/source/source';
import { slow } from '../../../../scripts/testing/cases';
import { useFolder } from '../../../../scripts/testing/folder';

// The name of the document's file, and each text in it, are written by somebody else: in the files of the service they are data.

const folder = useFolder();
const object = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } };
/** A document with `text` in each place that takes any text and can reach a file of a service. */
const documentWith = (text: string) => {
  const json = { 'application/json': { schema: { ...object, title: text, description: text } } };
  const [summary, description, tags, externalDocs] = [text, text, [text], { url: '/', description: text }];
  const responses = { 200: { description, content: json }, 404: { description, content: json } };
  const common = { summary, description, tags, externalDocs, security: [{ key: [] }], responses };
  const id = { name: 'id', in: 'path', required: true, description, schema: { type: 'string' } };
  return {
    openapi: '3.1.0',
    info: { title: text, summary, description, version: text, termsOfService: text, contact: { name: text } },
    tags: [{ name: text, description, externalDocs }],
    servers: [{ url: '/', description }],
    paths: {
      '/carts': {
        post: { ...common, operationId: `${text}1`, requestBody: { description, content: json } },
      },
      '/carts/{id}': { parameters: [id], get: { ...common, operationId: `${text}2` } },
      '/notes': {
        post: {
          ...common,
          operationId: `${text}3`,
          requestBody: { required: true, content: { 'text/plain': { schema: {}, example: text } } },
        },
        get: {
          ...common,
          operationId: `${text}4`,
          parameters: [{ name: text, in: 'query', required: true, schema: { enum: [text] }, example: text }],
          responses: { 200: { description, content: { 'application/jsonl': { itemSchema: object } } } },
        },
      },
    },
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key', description } } },
  };
};

async function layOutAs(
  document: ReturnType<typeof documentWith>,
): Promise<Readonly<Record<string, string>>> {
  const names = namesFrom('shop', document.info.title);
  if (!names) throw new Error('expected names');
  return (await layOut(readSource(folder.write({ 'api.yaml': stringify(document) })), names, '3.0.0')).files;
}

/** Characters that a shell, make, JSON, Markdown, YAML or a pattern of files may read as syntax, and some that none does. */
const CHARACTERS = [
  ...Array.from({ length: 0x7f }, (_, code) => String.fromCharCode(code + 1)).filter((one) => one !== '/'),
  ...['\u0085', '\u00e9', '\u2028', '\u202e', '\ufeff', '\u{1f600}'],
];
const FILES = [
  'a","postinstall":"touch x","y":"b.yaml',
  'a$(touch x).yaml',
  'my api.yaml',
  '-rf.yaml',
  '.hidden.yaml',
  '$(shell touch x).json',
  ...CHARACTERS.map((character) => `a${character}b.yaml`),
  ...CHARACTERS.map((character) => `${character}.yaml`),
];

test('the file of a document has a name that nothing reads as syntax', () => {
  const text = JSON.stringify({ openapi: '3.1.0', info: { title: 'a', version: '1' }, paths: {} });
  const names = FILES.map((file) => {
    const main = folder.path(file);
    writeFileSync(main, text);
    return documentFiles(readSource(main), 'shop').name;
  });
  expect(names.filter((name) => !/^\w[\w.-]*\.(yaml|json)$/.test(name))).toEqual([]);
});

test.each(['overlay.yaml', 'Overlay.yml', 'overlay.json', 'accepted-breaks.yaml'])(
  'a document %s does not take the place of a file of the service, whatever the service is called',
  (file) => {
    const source = readSource(folder.write({ [file]: JSON.stringify(documentWith('a')) }));
    for (const kebab of ['shop', 'overlay', 'accepted-breaks'])
      expect(documentFiles(source, kebab).name).not.toMatch(/^(overlay|accepted-breaks)\./i);
  },
);

test.each([
  ['overlay.yaml', { type: 'string' }],
  ['Overlay.yaml', { type: 'string' }],
  ['accepted-breaks.yaml', { type: 'string' }],
  ['another.yaml', { openapi: '3.1.0', type: 'string' }],
])('a part %s beside the document neither replaces a file of the service nor is replaced', (part, schema) => {
  const root = documentWith('a');
  root.paths['/carts'].post.requestBody.content['application/json'].schema = { $ref: part } as never;
  const main = folder.write({ 'api.yaml': stringify(root), [part]: stringify(schema) });
  const { files, note } = documentFiles(readSource(main), 'shop');
  expect([Object.keys(files), note]).toEqual([['api.yaml'], 'bundled 2 files into one']);
});

/** Each text breaks out of one kind of quotes. `Injected` would then be code. */
const TEXTS = [
  `Injected`,
  `'; Injected; '`,
  '`; Injected; `',
  '${Injected}',
  '*/ Injected /*',
  '\n*/ Injected\n',
  '", "Injected": "',
  "\\'; Injected //",
  '\u2028Injected()',
  '```\n\n# Injected\n\n```sh\ntouch x\n',
  '<img src=x onerror=Injected>',
  '[Injected](javascript:x)',
  "$(touch Injected)'$(touch Injected)",
  '#endregion curl\n#region Injected',
  '\n\nInjected:\n\ttouch x\n',
];

/** The names that code has, outside of its strings and comments. */
function identifiersIn(file: string, code: string): string[] {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, false);
  const errors = Reflect.get(source, 'parseDiagnostics') as readonly unknown[];
  if (errors.length > 0) return [`${file} has ${errors.length} errors of syntax`];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The lines of Markdown outside of its fenced code (CommonMark 0.31.2, 4.5). */
function outsideFences(markdown: string): string[] {
  let fence = '';
  return markdown.split('\n').filter((line) => {
    const [, mark = ''] = /^ {0,3}(`{3,})[^`]*$/.exec(line) ?? [];
    if (fence === '') fence = mark;
    else if (mark.length >= fence.length && line.trim() === mark) fence = '';
    else return false;
    return mark === '';
  });
}

/** Of a document with harmless texts. */
let plain: Readonly<Record<string, string>> | undefined;

async function expectText(text: string): Promise<void> {
  plain ??= await layOutAs(documentWith('plain'));
  const files = await layOutAs(documentWith(text));
  for (const [file, content] of Object.entries(files)) {
    if (file.endsWith('.ts'))
      expect([
        file,
        identifiersIn(file, content).filter((name) => /^Injected$|errors of/.test(name)),
      ]).toEqual([file, []]);
    else if (file.startsWith('openapi/')) expect([file, parseDocument(content).errors]).toEqual([file, []]);
    else if (file.endsWith('examples.json')) expect(() => JSON.parse(content) as unknown).not.toThrow();
    else if (!/^(README\.md|package\.json)$/.test(file)) expect([file, content]).toEqual([file, plain[file]]);
  }
  const { description, ...manifest } = JSON.parse(files['package.json'] ?? '') as Record<string, unknown>;
  expect({ ...manifest, description: 'plain' }).toEqual(JSON.parse(plain['package.json'] ?? ''));
  expect(description).toBe(text);
  const [heading = '', ...rest] = outsideFences(files['README.md'] ?? '');
  const [, ...others] = outsideFences(plain['README.md'] ?? '');
  expect(heading).toMatch(/^# (\\[!-/:-@[-`{-~]|[^!-/:-@[-`{-~\s]| (?! ))+$/);
  expect(rest).toEqual(others);
}

// One after the other they still break out: each ends its own quotes, and is text in those of the others.
const ofOneLine = TEXTS.filter((text) => !text.includes('\n')).join(' ');
const ofLines = TEXTS.filter((text) => text.includes('\n')).join('');
test.each([ofOneLine, ofLines])('the texts %j stay texts in every file of the service', expectText);

slow(() => {
  test.each(TEXTS)('the text %j stays a text in every file of the service', expectText);
});
