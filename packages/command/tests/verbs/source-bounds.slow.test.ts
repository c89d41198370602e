import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { BOUNDS } from '../../src/document/source/bounds';
import { readSource } from '../../src/document/source/source';
import { OpenApiDocument } from 'contract-first-server/tools';
import { type Files, useFolder } from '../../../../scripts/testing/folder';

const folder = useFolder();
const inApi = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`api/${name}`, text]));

/** What is said of a document of these files, without its folder; undefined if it is read. */
function refusal(files: Files, allowOutside = false): string | undefined {
  try {
    readSource(folder.write(inApi(files)), allowOutside);
    return undefined;
  } catch (error) {
    // A fault of the reader itself is a RangeError or TypeError.
    expect(error).toMatchObject({ name: 'SourceError' });
    return (error as Error).message.replaceAll(folder.path('/'), '');
  }
}

const yaml = (text: string): Files => ({ 'a.yaml': text });
const json = (text: string): Files => ({ 'a.json': text });
const HEAD = "openapi: 3.1.0\ninfo: { title: A, version: '1' }\npaths: {}\n";
const withRef = (ref: string) => `${HEAD}components:\n  schemas:\n    A: { $ref: ${JSON.stringify(ref)} }\n`;
const referring = (ref: string, more: Files = {}): Files => ({ 'main.yaml': withRef(ref), ...more });

const nest = (open: string, inner: string, close: string, depth: number) =>
  open.repeat(depth) + inner + close.repeat(depth);
/** Lines that each refer to the one before. */
const row = (count: number, line: (i: number, next: number) => string) =>
  `a0: &a0 { x: 1 }\n${Array.from({ length: count }, (_, i) => `a${i + 1}: &a${i + 1} ${line(i, i + 1)}\n`).join('')}`;
const bomb = (levels: number) => row(levels, (i) => `[${Array(10).fill(`*a${i}`).join()}]`);
const parts = (count: number): Files => ({
  'main.yaml': `${HEAD}components:\n  schemas:\n${Array.from({ length: count }, (_, i) => `    A${i}: { $ref: p/${i}.json }\n`).join('')}`,
  ...Object.fromEntries(Array.from({ length: count }, (_, i) => [`p/${i}.json`, '{}'])),
});
/** References that OpenAPI does not allow, each to 1,000 values. */
const copies = (count: number) =>
  `${HEAD}tags: [${Array(count).fill("{ $ref: '#/x-own' }").join()}]\nx-own: { name: a, x-list: [${Array(997).fill('1').join()}] }\n`;

describe('reads sources up to their bounds, and refuses larger ones with a sentence', () => {
  const BYTES = 'at most 33554432 bytes in total';
  const DEPTH = `nested more than ${BOUNDS.depth} deep`;
  const inner = BOUNDS.depth - 1; // without the object around it

  it.each<[string, string, number, (size: number) => Files]>([
    ['bytes', BYTES, BOUNDS.bytes, (n) => yaml(HEAD + `#${'x'.repeat(n - HEAD.length - 1)}`)],
    [
      'bytes of two files',
      BYTES,
      BOUNDS.bytes - withRef('b.json').length,
      (n) => referring('b.json', { 'b.json': `{}${' '.repeat(n - 2)}` }),
    ],
    ['files', 'at most 10000 files', BOUNDS.files - 1, parts],
    ['lists in JSON', DEPTH, inner, (n) => json(`{"x":${nest('[', '', ']', n)}}`)],
    ['objects in JSON', DEPTH, BOUNDS.depth, (n) => json(nest('{"x":', '1', '}', n))],
    ['lists in YAML', DEPTH, inner, (n) => yaml(`x: ${nest('[', '', ']', n)}`)],
    ['objects in YAML', DEPTH, inner, (n) => yaml(`x: ${nest('{x: ', '1', '}', n)}`)],
    ['lists on one line', DEPTH, inner, (n) => yaml(`x:\n  ${'- '.repeat(n)}1`)],
    ['aliases of aliases', DEPTH, inner - 1, (n) => yaml(row(n, (i) => `[*a${i}]`))],
    [
      'values of aliases',
      'expand to more than 100000 values',
      BOUNDS.aliased,
      (n) => yaml(`a: &a x\nb: [${Array(n).fill('*a').join()}]\n`),
    ],
    [
      'values that replace references',
      'expand to more than 1000000 values',
      BOUNDS.copied / 1000,
      (n) => yaml(copies(n)),
    ],
  ])('%s', (_, sentence, most, build) => {
    expect(refusal(build(most))).toBeUndefined();
    expect(refusal(build(most + 1))).toContain(sentence);
  });

  it.each<[string, Files]>([
    ['JSON nested 20,000 deep', json(nest('[', '', ']', 20_000))],
    ['JSON that opens only', json('{"a":'.repeat(200_000))],
    ['YAML nested 20,000 deep', yaml(nest('[', '', ']', 20_000))],
    ['YAML of lists on one line', yaml('- '.repeat(20_000))],
    ['YAML of names on one line', yaml('? '.repeat(20_000))],
    ['aliases of a billion', yaml(bomb(9))],
    ['merges of a billion', yaml(row(30, (i) => `{ l: *a${i}, r: *a${i}, <<: *a${i} }`))],
    ['130 kB of aliases', yaml(`${bomb(4)}b: [${Array(30_000).fill('*a4').join()}]\n`)],
    ['an alias of itself', yaml('a: &a [*a]')],
  ])('%s is refused', (_, files) => {
    expect(refusal(files)).toMatch(/^api\/a\.\w+:\d+:\d+: /);
  });

  it('chains and circles of references end', () => {
    const links = 20_000;
    const chain = (name: string) =>
      Array.from({ length: links }, (_, i) => `  ${name}${i}: { $ref: '#/x/${name}${i + 1}' }\n`).join('');
    const part = `x:\n${chain('A')}  A${links}: { type: string }\n${chain('P')}  P${links}: {}\n`;
    expect(refusal(referring('b.yaml#/x/A0', { 'b.yaml': part }))).toBeUndefined();
    const item = { ...yaml(`openapi: 3.1.0\npaths: { /a: { $ref: 'b.yaml#/x/P0' } }\n`), 'b.yaml': part };
    expect(refusal(item)).toMatch(/leads through more than 256 other \$refs$/);
    const circle = "paths: { /a: { get: { $ref: 'b.yaml' } } }\ntags: [{ $ref: '#/tags/0' }]\n";
    const files = { ...yaml(circle), 'b.yaml': "$ref: 'c.yaml'", 'c.yaml': "$ref: 'b.yaml'" };
    expect(refusal(files)).toBeUndefined();
  });
});

describe('reads regular files below the folder of the document only', () => {
  const SECRET: Files = { '../secret.json': '{ "type": "string", "const": "secret" }' };
  const WHERE = 'api/main.yaml:6:10: ';
  const isOutside = `${WHERE}secret.json is outside the folder of the document: move it there, or use --allow-outside`;

  it('unless others are allowed', () => {
    const files = referring('../secret.json', SECRET);
    expect(refusal(files)).toBe(isOutside);
    expect(refusal(files, true)).toBeUndefined();
    expect(() => readSource(folder.path('api/main.yaml'))).toThrow(/: move it there$/);
  });

  it.each(['%2e%2e/secret.json', './x/../../secret.json', '../api/../secret.json#/const', 'ABSOLUTE'])(
    'not by %s',
    (ref) => {
      const name = ref.replace('ABSOLUTE', folder.path('secret.json'));
      expect(refusal(referring(name, { ...SECRET, 'x/other.json': '{}' }))).toBe(isOutside);
    },
  );

  it('not by a symbolic link to a file or a folder', () => {
    folder.write(inApi(SECRET));
    mkdirSync(folder.path('api'));
    symlinkSync('../secret.json', folder.path('api/link.json'));
    expect(refusal(referring('link.json'))).toBe(isOutside);
    symlinkSync('..', folder.path('api/up'));
    expect(refusal(referring('up/secret.json'))).toBe(isOutside);
  });

  it('by links that stay below it, and by names that lead back to a file that is known', () => {
    const part = "properties: { a: { $ref: 'part.yaml' } }";
    const main = folder.write(inApi(referring('loop/loop/link.yaml', { 'x/part.yaml': part })));
    symlinkSync('.', folder.path('api/loop'));
    symlinkSync('x/part.yaml', folder.path('api/link.yaml'));
    const $ref = '#/components/schemas/A';
    expect(readSource(main).document['components']).toEqual({
      schemas: { A: { properties: { a: { $ref } } } },
    });
  });

  const link = (target: string) => (file: string) => {
    symlinkSync(target, file);
  };
  it.each<[string, string, (file: string) => unknown]>([
    ['a folder', 'it is a folder, and only regular files are read', mkdirSync],
    ['a pipe', 'it is a named pipe, and only regular files', (file) => execFileSync('mkfifo', [file])],
    ['a link to itself', 'leads nowhere', link('node.json')],
    ['a link to nothing', 'leads nowhere', link('none.json')],
    ['a device', 'zero is not read: the files of a document end in', link('/dev/zero')],
  ])('not %s', (_, sentence, make) => {
    mkdirSync(folder.path('api'));
    make(folder.path('api/node.json'));
    const found = refusal(referring('node.json'), true);
    if (found !== undefined) expect(found).toContain(sentence);
    else {
      const [finding] = new OpenApiDocument(readSource(folder.path('api/main.yaml')).document).findings;
      expect(finding?.message).toContain(sentence);
    }
    // As the document itself, too.
    expect(() => readSource(folder.path('api/node.json'))).toThrow(/: cannot read the OpenAPI document: \S/);
  });

  it('not a socket, and no file that this user may not read', async () => {
    mkdirSync(folder.path('api'));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(folder.path('api/node.json'), resolve));
    expect(refusal(referring('node.json'))).toContain('it is a socket');
    await new Promise((resolve) => server.close(resolve));
    chmodSync(folder.write(inApi({ 'locked.json': '{}' })), 0);
    if (process.getuid?.() === 0) return; // may read everything
    expect(refusal(referring('locked.json'))).toContain('permission denied');
  });

  const FIELDS = 'expected Schema at api/passwords.json';
  it.each([
    ['/dev/zero', 'is outside the folder'],
    ['.env', 'end in .yaml, .yml or .json'],
    ['id_rsa', 'end in .yaml, .yml or .json'],
    ['.secret.json', 'hidden files and folders'],
    ['.aws/credentials.json', 'hidden files and folders'],
    ['passwords.json', `${FIELDS}, got a value with none of its fields`],
    ['passwords.json#/password', `${FIELDS}#/password`],
  ])('and what is no part of a document is not published: %s', (ref, sentence) => {
    const names = ['.env', 'id_rsa', '.secret.json', '.aws/credentials.json', 'passwords.json'];
    const files = Object.fromEntries(names.map((name) => [name, '{"password": "secret"}']));
    expect(refusal(referring(ref, files))).toContain(sentence);
  });

  const HOSTS =
    'https://example.com/a.yaml //example.com/a.yaml file:///etc/passwd file:main.yaml urn:a:b data:,a';
  it.each(HOSTS.split(' '))('and no other host or scheme: %s', (ref) => {
    const { document } = readSource(folder.write(referring(ref)));
    expect(new OpenApiDocument(document).findings).toEqual([
      {
        pointer: '/components/schemas/A/$ref',
        message: `${JSON.stringify(ref)} is not read: only files beside the document are. Save it there, and refer to it by a relative path`,
      },
    ]);
  });
});

describe('decides what text is', () => {
  const inJson = ': expected an OpenAPI document in JSON: ';
  const noTag = '1:4: expected a value without a tag';
  const noNumber = '1:4: expected a JSON number';
  const noObject = ': expected an OpenAPI document, which is an object';

  it.each<[string, Record<string, string | Buffer>, string]>([
    [
      'bytes that are not UTF-8',
      { 'a.yaml': Buffer.from('a: 1\nb: \xff', 'latin1') },
      '2:4: expected UTF-8 text',
    ],
    ['half a character', { 'a.yaml': Buffer.from('a: \xe2\x82', 'latin1') }, '1:4: expected UTF-8 text'],
    ['UTF-16', { 'a.json': Buffer.from('\uFEFF{}', 'utf16le') }, '1:1: expected UTF-8 text'],
    [
      'UTF-16 without a mark',
      { 'a.yaml': Buffer.from('a: 1', 'utf16le') },
      '1:2: expected UTF-8 text, got the character U+0000',
    ],
    ['a name that stands twice in JSON', json('{"a": 1,\n "a": 2}'), '"a" occurs twice in one object'],
    ['a name that stands twice', yaml('a: 1\n"a": 2'), '2:1: the key "a" occurs twice in one object'],
    ['a comma too many', json('{"a": 1,\n}'), `2:1${inJson}expected a property name, got the character "}"`],
    ['a comment in JSON', json('{} // a'), `1:4${inJson}expected the end of the text, got the character "/"`],
    ['a number beyond the doubles in JSON', json('{"a": 1e999}'), 'the number 1e999 is too large'],
    ['a number beyond the doubles', yaml('a: 1e999'), noNumber],
    ['infinity', yaml('a: -.inf'), noNumber],
    ['no number', yaml('a: .nan'), noNumber],
    ['binary data', yaml('a: !!binary aGk='), noTag],
    ['a timestamp', yaml('a: !!timestamp 2001-12-14'), noTag],
    ['a set', yaml('a: !!set { b }'), noTag],
    ['a tag of its own', yaml('a: !env PASSWORD'), noTag],
    ['a tag that the value is not of', yaml('a: !!int b'), noTag],
    ['two documents', yaml('a: 1\n---\nb: 2'), '2:1: expected one YAML document, got another after ---'],
    ['a list as a name', yaml('[a]: 1'), '1:1: expected a string as a key'],
    ['an alias without an anchor', yaml('a: *b'), '1:4: the alias *b has no anchor before it'],
    ['a merge of a text', yaml('a:\n  <<: b'), '2:3: the merge key << takes an object'],
    ['a tab', yaml('a:\n\tb: 1'), '2:1: expected '],
    ['an open bracket', yaml('a: [1'), 'expected another indentation, or a closing bracket'],
    ['nothing', yaml(''), noObject],
    ['a text', yaml('a'), noObject],
  ])('refuses %s', (_, files, sentence) => {
    expect(refusal(files)).toContain(sentence);
  });

  it.each<[string, Files, object]>([
    ['a byte order mark', json('\uFEFF{"a": 1}'), { a: 1 }],
    ['a byte order mark in YAML', yaml('\uFEFFa: 1'), { a: 1 }],
    ['markers', yaml('%YAML 1.1\n---\na: yes\nb: 2001-12-14\n...\n'), { a: 'yes', b: '2001-12-14' }],
    ['tags of JSON', yaml('a: !!str 1\nb: !!int "2"\nc: !!map {}\nd: ! 1'), { a: '1', b: 2, c: {}, d: '1' }],
    [
      'anchors, each alias a copy of the last one before it',
      yaml('a: &a { x: 1 }\nb: *a\nc: &a 2\nd: [*a]'),
      { a: { x: 1 }, b: { x: 1 }, c: 2, d: [2] },
    ],
    [
      'merge keys, after the members of the object',
      yaml('a: &a { x: 1, y: 1 }\nb: { <<: *a, y: 2 }\nc: { <<: [{ y: 3 }, *a] }\nd: { "<<": 1 }'),
      { a: { x: 1, y: 1 }, b: { x: 1, y: 2 }, c: { x: 1, y: 3 }, d: { '<<': 1 } },
    ],
    [
      'names as they are written',
      yaml('1.0: a\n1: b\n0x1: c\n007: d\nTRUE: e\n~: f\n200: g'),
      { '1.0': 'a', 1: 'b', '0x1': 'c', '007': 'd', TRUE: 'e', '~': 'f', 200: 'g' },
    ],
    ['tabs in JSON', json('{\n\t"a":\t[1]\n}'), { a: [1] }],
  ])('reads %s', (_, files, value) => {
    expect(readSource(folder.write(files)).document).toEqual(value);
  });
});
