import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BOUNDS } from '../../../scripts/source/bounds';
import { readSource } from '../../../scripts/source/source';
import { OpenApiDocument } from '../../../src/contract';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

type Files = Readonly<Record<string, string | Buffer>>;

function write(files: Files): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'api', name)), { recursive: true });
    writeFileSync(join(folder, 'api', name), text);
  }
  return join(folder, 'api', Object.keys(files)[0] ?? '');
}

/** What is said of a document of these files, without its folder; undefined if it is read. */
function refusal(files: Files, allowOutside = false): string | undefined {
  try {
    readSource(write(files), allowOutside);
    return undefined;
  } catch (error) {
    // A fault of the reader itself is a RangeError or TypeError.
    expect(error).toMatchObject({ name: 'SourceError' });
    return (error as Error).message.replaceAll(`${folder}/`, '');
  }
}

const HEAD = "openapi: 3.1.0\ninfo: { title: A, version: '1' }\npaths: {}\n";
const withRef = (ref: string) => `${HEAD}components:\n  schemas:\n    A: { $ref: ${JSON.stringify(ref)} }\n`;

const nest = (open: string, inner: string, close: string, depth: number) =>
  open.repeat(depth) + inner + close.repeat(depth);
/** Lists of which each has ten aliases of the one before. */
const bomb = (levels: number) =>
  `a0: &a0 x\n${Array.from({ length: levels }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join()}]\n`).join('')}`;
/** Each with an alias of the one before. */
const chain = (links: number) =>
  `a0: &a0 []\n${Array.from({ length: links }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}]\n`).join('')}`;
const aliases = (count: number) => `a: &a x\nb: [${Array(count).fill('*a').join()}]\n`;
const padded = (bytes: number) => HEAD + `#${'x'.repeat(bytes - HEAD.length - 1)}`;
const parts = (count: number): Files => ({
  'main.yaml': `${HEAD}components:\n  schemas:\n${Array.from({ length: count }, (_, i) => `    A${i}: { $ref: p/${i}.json }\n`).join('')}`,
  ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`p/${i}.json`, '{}'])),
});
const copies = (count: number) =>
  `${HEAD}x-list: [${Array(999).fill('1').join()}]\ntags: [${Array(count).fill("{ $ref: '#/x-own' }").join()}]\nx-own: { name: a, x-list: [${Array(996).fill('1').join()}] }\n`;

describe('reads sources up to their bounds, and refuses larger ones with a sentence', () => {
  const depth = BOUNDS.depth - 1; // the object around it
  const deep = `nested more than ${BOUNDS.depth} deep`;

  it.each<[string, string, Files, Files]>([
    [
      'bytes',
      'at most 33554432 bytes together',
      { 'a.yaml': padded(BOUNDS.bytes) },
      { 'a.yaml': padded(BOUNDS.bytes + 1) },
    ],
    [
      'bytes of two files',
      'at most 33554432 bytes together',
      {
        'a.yaml': withRef('b.json'),
        'b.json': `{}${' '.repeat(BOUNDS.bytes - withRef('b.json').length - 2)}`,
      },
      {
        'a.yaml': withRef('b.json'),
        'b.json': `{}${' '.repeat(BOUNDS.bytes - withRef('b.json').length - 1)}`,
      },
    ],
    ['files', 'at most 10000 files', parts(BOUNDS.files - 1), parts(BOUNDS.files)],
    [
      'lists in JSON',
      deep,
      { 'a.json': nest('[', '', ']', depth).replace(/^/, '{"x":') + '}' },
      { 'a.json': `{"x":${nest('[', '', ']', depth + 1)}}` },
    ],
    [
      'objects in JSON',
      deep,
      { 'a.json': nest('{"x":', '1', '}', depth + 1) },
      { 'a.json': nest('{"x":', '1', '}', depth + 2) },
    ],
    [
      'lists in YAML',
      deep,
      { 'a.yaml': `x: ${nest('[', '', ']', depth)}` },
      { 'a.yaml': `x: ${nest('[', '', ']', depth + 1)}` },
    ],
    [
      'objects in YAML',
      deep,
      { 'a.yaml': `x: ${nest('{x: ', '1', '}', depth)}` },
      { 'a.yaml': `x: ${nest('{x: ', '1', '}', depth + 1)}` },
    ],
    [
      'lists on one line',
      deep,
      { 'a.yaml': `x:\n  ${'- '.repeat(depth)}1` },
      { 'a.yaml': `x:\n  ${'- '.repeat(depth + 1)}1` },
    ],
    ['aliases of aliases', deep, { 'a.yaml': chain(depth - 1) }, { 'a.yaml': chain(depth) }],
    [
      'values of aliases',
      'stand for at most 100000 values',
      { 'a.yaml': aliases(BOUNDS.aliased) },
      { 'a.yaml': aliases(BOUNDS.aliased + 1) },
    ],
    [
      'values that replace references',
      'stand for at most 1000000 values',
      { 'a.yaml': copies(1001) },
      { 'a.yaml': copies(1002) },
    ],
  ])('%s', (_, sentence, at, beyond) => {
    expect(refusal(at)).toBeUndefined();
    expect(refusal(beyond)).toContain(sentence);
  });

  it.each<[string, Files]>([
    ['JSON nested 20,000 deep', { 'a.json': nest('[', '', ']', 20_000) }],
    ['JSON that opens only', { 'a.json': '{"a":'.repeat(200_000) }],
    ['YAML nested 20,000 deep', { 'a.yaml': nest('[', '', ']', 20_000) }],
    ['YAML of lists on one line', { 'a.yaml': '- '.repeat(20_000) }],
    ['YAML of names on one line', { 'a.yaml': '? '.repeat(20_000) }],
    ['aliases of a billion', { 'a.yaml': bomb(9) }],
    [
      'merges of a billion',
      {
        'a.yaml': `a0: &a0 { x: 1 }\n${Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} { l: *a${i}, r: *a${i}, <<: *a${i} }\n`).join('')}`,
      },
    ],
    ['130 kB of aliases', { 'a.yaml': `${bomb(4)}b: [${Array(30_000).fill('*a4').join()}]\n` }],
    ['an alias of itself', { 'a.yaml': 'a: &a [*a]' }],
  ])('%s is refused', (_, files) => {
    expect(refusal(files)).toMatch(/^api\/a\.\w+:\d+:\d+: /);
  });

  it('chains and circles of references end', () => {
    const links = 20_000;
    const schemas = Array.from({ length: links }, (_, i) => `  A${i}: { $ref: '#/x/A${i + 1}' }\n`).join('');
    const items = Array.from({ length: links }, (_, i) => `  P${i}: { $ref: '#/x/P${i + 1}' }\n`).join('');
    const part = `x:\n${schemas}  A${links}: { type: string }\n${items}  P${links}: {}\n`;
    expect(refusal({ 'a.yaml': withRef('b.yaml#/x/A0'), 'b.yaml': part })).toBeUndefined();
    const item = `openapi: 3.1.0\npaths: { /a: { $ref: 'b.yaml#/x/P0' } }\n`;
    expect(refusal({ 'a.yaml': item, 'b.yaml': part })).toMatch(/leads through more than 256 others$/);
    expect(
      refusal({
        'a.yaml': "paths: { /a: { get: { $ref: 'b.yaml' } } }\ntags: [{ $ref: '#/tags/0' }]\n",
        'b.yaml': "$ref: 'c.yaml'",
        'c.yaml': "$ref: 'b.yaml'",
      }),
    ).toBeUndefined();
  });
});

describe('reads regular files below the folder of the document only', () => {
  const SECRET = '{ "type": "string", "const": "secret" }';
  const outside = () => {
    writeFileSync(join(folder, 'secret.json'), SECRET);
    mkdirSync(join(folder, 'api'));
  };
  const WHERE = 'api/main.yaml:6:10: ';
  const isOutside = `${WHERE}secret.json is outside of the folder of the document: move it there, or allow such files with --allow-outside`;

  it('unless others are allowed', () => {
    outside();
    expect(refusal({ 'main.yaml': withRef('../secret.json') })).toBe(isOutside);
    expect(refusal({ 'main.yaml': withRef('../secret.json') }, true)).toBeUndefined();
    expect(() => readSource(join(folder, 'api/main.yaml'))).toThrow(/: move it there$/);
  });

  it.each(['%2e%2e/secret.json', './x/../../secret.json', '../api/../secret.json#/const'])(
    'not by %s',
    (ref) => {
      outside();
      mkdirSync(join(folder, 'api/x'));
      expect(refusal({ 'main.yaml': withRef(ref) })).toBe(isOutside);
    },
  );

  it('not by an absolute path, and not by a symbolic link to a file or a folder', () => {
    outside();
    expect(refusal({ 'main.yaml': withRef(join(folder, 'secret.json')) })).toBe(isOutside);
    symlinkSync('../secret.json', join(folder, 'api/link.json'));
    expect(refusal({ 'main.yaml': withRef('link.json') })).toBe(isOutside);
    symlinkSync('..', join(folder, 'api/up'));
    expect(refusal({ 'main.yaml': withRef('up/secret.json') })).toBe(isOutside);
  });

  it('by links that stay below it, and by names that lead back to a file that is known', () => {
    const files = {
      'main.yaml': withRef('loop/loop/link.yaml'),
      'x/part.yaml': "properties: { a: { $ref: 'part.yaml' } }",
    };
    write(files);
    symlinkSync('.', join(folder, 'api/loop'));
    symlinkSync('x/part.yaml', join(folder, 'api/link.yaml'));
    expect(readSource(join(folder, 'api/main.yaml')).document['components']).toEqual({
      schemas: {
        A: { $ref: '#/components/schemas/part' },
        part: { properties: { a: { $ref: '#/components/schemas/part' } } },
      },
    });
  });

  it.each<[string, string, (file: string) => void]>([
    [
      'a folder',
      'it is a folder, and only regular files are read',
      (file) => {
        mkdirSync(file);
      },
    ],
    [
      'a named pipe',
      'it is a named pipe, and only regular files are read',
      (file) => {
        execFileSync('mkfifo', [file]);
      },
    ],
    [
      'a link to itself',
      'leads nowhere',
      (file) => {
        symlinkSync('node.json', file);
      },
    ],
    [
      'a link to nothing',
      'leads nowhere',
      (file) => {
        symlinkSync('none.json', file);
      },
    ],
    [
      'a link to a device',
      'zero is not read: the parts of a document end in',
      (file) => {
        symlinkSync('/dev/zero', file);
      },
    ],
  ])('not %s', (_, sentence, make) => {
    mkdirSync(join(folder, 'api'));
    make(join(folder, 'api/node.json'));
    const found = refusal({ 'main.yaml': withRef('node.json') }, true);
    if (found !== undefined) expect(found).toContain(sentence);
    else {
      const [finding] = new OpenApiDocument(readSource(join(folder, 'api/main.yaml')).document).findings;
      expect(finding?.message).toContain(sentence);
    }
    // As the document itself, too.
    expect(() => readSource(join(folder, 'api/node.json'))).toThrow(/: expected an OpenAPI document: \S/);
  });

  it('not a socket, and no file that this user may not read', async () => {
    mkdirSync(join(folder, 'api'));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, 'api/node.json'), resolve));
    expect(refusal({ 'main.yaml': withRef('node.json') })).toContain('it is a socket');
    await new Promise((resolve) => server.close(resolve));
    write({ 'locked.json': '{}' });
    chmodSync(join(folder, 'api/locked.json'), 0);
    if (process.getuid?.() === 0) return; // may read everything
    expect(refusal({ 'main.yaml': withRef('locked.json') })).toContain('this user may not read it');
  });

  it.each([
    ['/dev/zero', 'is outside of the folder'],
    ['.env', 'end in .yaml, .yml or .json'],
    ['id_rsa', 'end in .yaml, .yml or .json'],
    ['.secret.json', 'hidden files and folders'],
    ['.aws/credentials.json', 'hidden files and folders'],
    [
      'passwords.json',
      'expected a value for Schema at api/passwords.json, got one without any of its fields',
    ],
    ['passwords.json#/password', 'expected a value for Schema at api/passwords.json#/password'],
  ])('and what is no part of a document is not published: %s', (ref, sentence) => {
    const text = '{"password": "secret"}';
    const files = Object.fromEntries(
      ['.env', 'id_rsa', '.secret.json', '.aws/credentials.json', 'passwords.json'].map((name) => [
        name,
        text,
      ]),
    );
    expect(refusal({ 'main.yaml': withRef(ref), ...files })).toContain(sentence);
  });

  it.each([
    'https://example.com/a.yaml',
    '//example.com/a.yaml',
    'file:///etc/passwd',
    'file:main.yaml',
    'urn:a:b',
    'data:,a',
  ])('and no other host or scheme: %s', (ref) => {
    const { document } = readSource(write({ 'main.yaml': withRef(ref) }));
    expect(new OpenApiDocument(document).findings).toEqual([
      {
        pointer: '/components/schemas/A/$ref',
        message: `${JSON.stringify(ref)} is not read: only files beside the document are. Save it there, and refer to it by a relative path`,
      },
    ]);
  });
});

describe('decides what text is', () => {
  const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');

  it.each<[string, string, string | Buffer, string]>([
    [
      'bytes that are not UTF-8',
      'a.yaml',
      Buffer.from('a: 1\nb: \xff', 'latin1'),
      '2:4: expected text in UTF-8',
    ],
    [
      'half a character at the end',
      'a.yaml',
      Buffer.from('a: \xe2\x82', 'latin1'),
      '1:4: expected text in UTF-8',
    ],
    ['UTF-16', 'a.json', utf16('{}'), '1:1: expected text in UTF-8'],
    [
      'UTF-16 without a mark',
      'a.yaml',
      Buffer.from('a: 1', 'utf16le'),
      '1:2: expected text in UTF-8, got the character U+0000',
    ],
    ['a name that stands twice in JSON', 'a.json', '{"a": 1,\n "a": 2}', '"a" stands twice in one object'],
    [
      'a name that stands twice in YAML',
      'a.yaml',
      'a: 1\n"a": 2',
      '2:1: the name "a" stands twice in one object',
    ],
    [
      'JSON with a comma too many',
      'a.json',
      '{"a": 1,\n}',
      '2:1: expected an OpenAPI document in JSON: expected a property name, got the character "}"',
    ],
    [
      'JSON with a comment',
      'a.json',
      '{} // a',
      '1:4: expected an OpenAPI document in JSON: expected the end of the text, got the character "/"',
    ],
    ['a number beyond the doubles in JSON', 'a.json', '{"a": 1e999}', 'the number 1e999 is too large'],
    ['a number beyond the doubles in YAML', 'a.yaml', 'a: 1e999', '1:4: expected a number of JSON'],
    ['infinity', 'a.yaml', 'a: -.inf', '1:4: expected a number of JSON'],
    ['no number', 'a.yaml', 'a: .nan', '1:4: expected a number of JSON'],
    ['binary data', 'a.yaml', 'a: !!binary aGk=', '1:4: expected a value without a tag'],
    ['a timestamp', 'a.yaml', 'a: !!timestamp 2001-12-14', '1:4: expected a value without a tag'],
    ['a set', 'a.yaml', 'a: !!set { b }', '1:4: expected a value without a tag'],
    ['a tag of its own', 'a.yaml', 'a: !env PASSWORD', '1:4: expected a value without a tag'],
    ['a tag that the value is not of', 'a.yaml', 'a: !!int b', '1:4: expected a value without a tag'],
    [
      'two documents',
      'a.yaml',
      'a: 1\n---\nb: 2',
      '2:1: expected one YAML document, got another one behind ---',
    ],
    ['a list as a name', 'a.yaml', '[a]: 1', '1:1: expected a text as a name'],
    ['an alias without an anchor', 'a.yaml', 'a: *b', '1:4: the alias *b has no anchor before it'],
    ['a merge of a text', 'a.yaml', 'a:\n  <<: b', '2:3: the merge key << takes an object'],
    ['a tab', 'a.yaml', 'a:\n\tb: 1', '2:1: expected '],
    ['an open bracket', 'a.yaml', 'a: [1', 'expected another indentation, or a closing bracket'],
    ['nothing', 'a.yaml', '', ': expected an OpenAPI document, got no object'],
    ['a text', 'a.yaml', 'a', ': expected an OpenAPI document, got no object'],
  ])('refuses %s', (_, name, text, sentence) => {
    expect(refusal({ [name]: text })).toContain(sentence);
  });

  it.each<[string, string, string, object]>([
    ['a byte order mark', 'a.json', '\uFEFF{"a": 1}', { a: 1 }],
    ['a byte order mark in YAML', 'a.yaml', '\uFEFFa: 1', { a: 1 }],
    [
      'one document with markers',
      'a.yaml',
      '%YAML 1.1\n---\na: yes\nb: 2001-12-14\n...\n',
      { a: 'yes', b: '2001-12-14' },
    ],
    [
      'tags of JSON',
      'a.yaml',
      'a: !!str 1\nb: !!int "2"\nc: !!map {}\nd: ! 1',
      { a: '1', b: 2, c: {}, d: '1' },
    ],
    [
      'anchors, each alias a copy of the last one before it',
      'a.yaml',
      'a: &a { x: 1 }\nb: *a\nc: &a 2\nd: [*a]',
      { a: { x: 1 }, b: { x: 1 }, c: 2, d: [2] },
    ],
    [
      'merge keys, after the members of the object',
      'a.yaml',
      'a: &a { x: 1, y: 1 }\nb: { <<: *a, y: 2 }\nc: { <<: [{ y: 3 }, *a] }\nd: { "<<": 1 }',
      { a: { x: 1, y: 1 }, b: { x: 1, y: 2 }, c: { x: 1, y: 3 }, d: { '<<': 1 } },
    ],
    [
      'names as they are written',
      'a.yaml',
      '1.0: a\n1: b\n0x1: c\n007: d\nTRUE: e\n~: f\n200: g',
      { '1.0': 'a', 1: 'b', '0x1': 'c', '007': 'd', TRUE: 'e', '~': 'f', 200: 'g' },
    ],
    ['tabs in JSON', 'a.json', '{\n\t"a":\t[1]\n}', { a: [1] }],
  ])('reads %s', (_, name, text, value) => {
    expect(readSource(write({ [name]: text })).document).toEqual(value);
  });
});
