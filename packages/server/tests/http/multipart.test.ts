import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ServiceOptions } from 'contract-first-server';
import type { OperationalKind } from 'contract-first-server/runtime';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService, json } from '../../../../scripts/testing/service';

const FILE = { type: 'string', format: 'binary' };
const TEXT = { type: 'string' };

/** What a handler is given, with its files read. */
async function read(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(read));
  if (!(value instanceof File)) return value;
  const text = await value.text();
  const shown = text.length > 20 ? `${text.slice(0, 5)}...${text.slice(-5)}` : text;
  return { name: value.name, type: value.type, size: value.size, text: shown };
}

/** Sends a form to an operation. Returns what the handler was given, or the message of the refusal. */
async function upload(
  properties: Readonly<Record<string, object>>,
  body: FormData | Blob | string,
  { encoding = {}, ...rest }: { readonly encoding?: object; readonly required?: readonly string[] } = {},
  options: Partial<ServiceOptions<OperationalKind>> = {},
) {
  const schema = { type: 'object', properties, ...rest };
  const document = buildDocument({
    operation: {
      requestBody: { required: true, content: { 'multipart/form-data': { schema, encoding } } },
      responses: { 200: { description: '', content: json({}) } },
    },
  });
  const postThing = async (given: { readonly body: object }) => {
    const entries = Object.entries(given.body).map(
      async ([name, value]) => [name, await read(value)] as const,
    );
    return { status: 200, body: Object.fromEntries(await Promise.all(entries)) };
  };
  const { app, outcomes } = buildService({
    document,
    bodyLimit: 1_000_000,
    handlers: { postThing },
    ...options,
  });
  return listening(app, async (port) => {
    const headers = body instanceof FormData ? {} : { 'Content-Type': 'multipart/form-data; boundary=b' };
    const answer = await fetch(`http://127.0.0.1:${port}/things`, { method: 'POST', headers, body });
    const given = (await answer.json()) as { readonly message?: string };
    return { status: answer.status, given: given.message ?? given, cause: outcomes[0]?.problem?.cause };
  });
}

const formOf = (...entries: readonly (readonly [string, string | File])[]) => {
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  return form;
};

/** Resolves when a folder is empty. */
async function emptied(folder: string): Promise<void> {
  while (readdirSync(folder).length > 0) await setImmediate();
}

it('gives the handler fields of their types, files, and lists of both', async () => {
  const properties = {
    title: TEXT,
    count: { type: 'integer' },
    meta: { type: 'object', properties: { a: { type: 'integer' } } },
    tags: { type: 'array', items: TEXT },
    photo: FILE,
    pages: { type: 'array', items: { type: 'string', contentMediaType: 'application/pdf' } },
    'a"b': TEXT,
  };
  const body = formOf(
    ['title', '50% +\r\n2'],
    ['count', '5'],
    ['meta', '{"a":1,"b":2}'],
    ['tags', 'x'],
    ['tags', 'y'],
    ['photo', new File(['x'.repeat(200_000)], 'ü "1"\r\n.png', { type: 'image/png' })],
    ['pages', new File(['1'], '1.pdf')],
    ['pages', new File(['2'], '2.pdf')],
    ['a"b', 'quoted'],
    ['unlisted', new File([Buffer.alloc(10, 0xff)], 'x')],
  );
  const page = (text: string) => ({ name: `${text}.pdf`, type: 'application/octet-stream', size: 1, text });
  const photo = { name: 'ü "1"\r\n.png', type: 'image/png', size: 200_000, text: 'xxxxx...xxxxx' };
  expect(await upload(properties, body)).toEqual({
    status: 200,
    cause: undefined,
    given: {
      title: '50% +\r\n2', count: 5, meta: { a: 1 }, tags: ['x', 'y'], photo, pages: [page('1'), page('2')], 'a"b': 'quoted',
    }, // prettier-ignore
  });
});

it('removes the file of an upload, and the folder of the process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'multipart-'));
  const body = formOf(['photo', new File(['x'.repeat(100_000)], 'a')]);
  const { status } = await upload({ photo: FILE }, body, {}, { uploads: { folder, quota: 100_000 } });
  expect(status).toBe(200);
  await emptied(folder);
});

/** A part, by the text of its header fields. */
const part = (fields: string, data = 'x') => `--b\r\n${fields}\r\n\r\n${data}\r\n`;
const field = (name: string, data?: string, more = '') =>
  part(`Content-Disposition: form-data; name=${name}${more}`, data);
const typed = (name: string, type: string, data = 'x') =>
  field(`"${name}"; filename="f"`, data, `\r\nContent-Type: ${type}`);
const END = '--b--\r\n';

test.each<[string, Readonly<Record<string, object>>, object, string, unknown]>([
  ['leaves out a part that is not listed', { a: TEXT }, {}, 'toString', {}],
  ['refuses a part that must not be there', { a: TEXT }, { additionalProperties: false }, 'b', 'body/b must NOT have additional properties'],
  ['gives files of any name', {}, { additionalProperties: FILE }, 'constructor', { constructor: { size: 1 } }],
  ['gives a part whose name every object inherits', { constructor: FILE }, {}, 'constructor', { constructor: { size: 1 } }],
  ['demands what is required', { a: FILE }, { required: ['a'] }, 'b', "body must have required property 'a'"],
])('%s', async (_, properties, more, name, given) => {
  const encoding = { constructor: { headers: { 'X-A': { schema: { type: 'integer' } } } } };
  expect(await upload(properties, field(name, 'x', '\r\nX-A: 1') + END, { ...more, encoding })).toMatchObject({ given });
}); // prettier-ignore

test('a schema of bytes is that of a text in JSON', async () => {
  const schema = { type: 'object', properties: { a: { ...FILE, maxLength: 2 } } };
  const document = buildDocument({ operation: { requestBody: { content: json(schema) } } });
  const { app, outcomes } = buildService({ document, handlers: { postThing: () => Promise.resolve({ status: 204 }) } });
  await listening(app, async (port) => {
    for (const a of ['xy', 'xyz', 1, {}, null]) {
      const headers = { 'Content-Type': 'application/json' };
      await fetch(`http://127.0.0.1:${port}/things`, { method: 'POST', headers, body: JSON.stringify({ a }) });
    }
  });
  const wrong = 'body/a must be string';
  const long = 'body/a must NOT have more than 2 characters';
  expect(outcomes.map(({ problem }) => problem?.message)).toEqual([undefined, long, wrong, wrong, wrong]);
}); // prettier-ignore

describe('the header fields of a part', () => {
  const properties = {
    a: TEXT,
    'a"b': TEXT,
    'a\r\nb': TEXT,
    'ü%20': TEXT,
    'a\\b': TEXT,
    '': TEXT,
    file: FILE,
  };
  test.each<[string, object]>([
    [field('a'), { a: 'x' }],
    [field('"a"'), { a: 'x' }],
    [field('"a%22b"'), { 'a"b': 'x' }],
    [field('"a\\"b"'), { 'a"b': 'x' }],
    [field('"a%0D%0Ab"'), { 'a\r\nb': 'x' }],
    [field('"ü%20"'), { 'ü%20': 'x' }],
    [field('"a\\b"'), { 'a\\b': 'x' }],
    [field('"a\\\\b"'), { 'a\\b': 'x' }],
    [field('""'), { '': 'x' }],
    [part('content-disposition:FORM-DATA ;\r\n  NAME="a"'), { a: 'x' }],
    [field('"a"; filename="b.txt"', 'text of a file'), { a: 'text of a file' }],
    [field('file; filename="a;b=\\"c\\".txt"'), { file: { name: 'a;b="c".txt', type: 'text/plain', size: 1, text: 'x' } }],
    [field(`file; filename="a"; filename*=UTF-8''%e2%82%ac`), { file: { name: '€', type: 'text/plain', size: 1, text: 'x' } }],
    [field('file'), { file: { name: '', type: 'text/plain', size: 1, text: 'x' } }],
    [typed('file', 'image/PNG', ''), { file: { name: 'f', type: 'image/png', size: 0, text: '' } }],
  ])('%j are read exactly', async (body, given) => {
    expect(await upload(properties, body + END)).toMatchObject({ status: 200, given });
  }); // prettier-ignore

  const wrong = (reason: string) => `the body is not well-formed multipart: ${reason}`;
  test.each<[string, string]>([
    [part('A: 1'), 'a part has no Content-Disposition'],
    [part('Content-Disposition: attachment; name=a'), 'a part has a Content-Disposition other than form-data'],
    [part('Content-Disposition: form-data'), 'a part has no name'],
    [field('a; name=b'), 'a part has an invalid Content-Disposition'],
    [field('"a'), 'a part has an invalid Content-Disposition'],
    [field('"a"b'), 'a part has an invalid Content-Disposition'],
    [field('ü'), 'a part has an invalid Content-Disposition'],
    [field(`a; name*=UTF-8''b`), 'a part has no name'],
    [field(`a; filename*=latin1''b`), 'a part has a filename* that is not percent-encoded UTF-8'],
    [field(`a; filename*=UTF-8''%ff`), 'a part has a filename* that is not percent-encoded UTF-8'],
    [field('a', 'x', '\r\nContent-Disposition: form-data; name=b'), 'a part has more than one Content-Disposition'],
    [field('a', 'x', '\r\nno field'), 'a part has a line that is not a header field'],
    [field('a', 'x', '\r\n: 1'), 'a part has a line that is not a header field'],
    [field('a', 'x', '\r\nB : 1'), 'a part has a line that is not a header field'],
    [field('a', 'x', '\nB: 1'), 'a part has a header field with a control character'],
    [field('"a\0"'), 'a part has a header field with a control character'],
    [typed('file', 'image'), 'a part has an invalid Content-Type'],
    [field('a'), 'it ends before its last boundary'],
  ])('%j are refused', async (body, reason) => {
    const end = reason.startsWith('it ends') ? '' : END;
    expect(await upload(properties, body + end)).toMatchObject({ status: 400, given: wrong(reason) });
  }); // prettier-ignore

  test('that are not UTF-8 are refused', async () => {
    const body = new Blob([Buffer.from(field('"ü"') + END, 'latin1')]);
    expect(await upload(properties, body)).toMatchObject({ status: 400, given: wrong('the header fields of a part are not UTF-8') });
  }); // prettier-ignore
});

describe('a part that the document does not allow is refused by its name', () => {
  const list = { type: 'array', items: FILE };
  const object = { type: 'object' };
  const [png, any] = [{ file: { contentType: 'image/png, image/*;v=1' } }, undefined];
  const json = { a: { contentType: 'application/json' } };
  test.each<[Readonly<Record<string, object>>, object | undefined, string, string]>([
    [{ a: { type: 'integer' } }, any, field('a'), 'body/a must be integer'],
    [{ a: TEXT }, any, field('a') + field('a'), 'body/a is given more than once'],
    [{ file: FILE }, any, typed('file', 'a/b') + typed('file', 'a/b'), 'body/file is given more than once'],
    [{ file: FILE }, png, typed('file', 'image/gif'), 'body/file must have the Content-Type image/png or image/*; v=1'],
    [{ file: FILE }, png, field('file'), 'body/file must have the Content-Type image/png or image/*; v=1'],
    [{ file: { ...FILE, maxLength: 3 } }, any, typed('file', 'a/b', 'üü'), 'body/file must NOT have more than 3 bytes'],
    [{ file: { ...FILE, minLength: 3 } }, any, typed('file', 'a/b', 'ü'), 'body/file must NOT have fewer than 3 bytes'],
    [{ file: { ...list, maxItems: 1 } }, any, typed('file', 'a/b') + typed('file', 'a/b'), 'body/file must NOT have more than 1 items'],
    [{ a: object }, any, field('a', '{'), 'body/a: expected a property name, got the end at position 1'],
    [{ a: object }, any, field('a', '{}', '\r\nContent-Type: text/plain'), 'body/a must have the Content-Type application/json'],
    [{ a: TEXT }, json, field('a', 'x'), 'body/a: '],
    [{ a: TEXT }, any, field('a', 'x', '\r\nContent-Type: text/plain; charset=latin1'), 'body/a must use the charset utf-8'],
    [{ a: TEXT }, any, field('a', 'eA==', '\r\nContent-Transfer-Encoding: base64'), 'body/a has a Content-Transfer-Encoding, which is not accepted'],
    [{ a: { type: 'array' } }, any, field('a') + typed('a', 'image/png'), 'body/a is both text and a file'],
    [{ a: {} }, any, field('a') + typed('a', 'image/png'), 'body/a is both text and a file'],
    [{ b: TEXT }, any, field('__proto__', 'x'), 'body has the name "__proto__", which is not accepted'],
  ])('%j with the encoding %j: %j', async (properties, encoding, body, message) => {
    expect(await upload(properties, body + END, { encoding: encoding ?? {} })).toMatchObject({ status: 400, given: expect.stringContaining(message) as string });
  }); // prettier-ignore

  test.each<[string, string | undefined]>([
    ['X-Count: 5', undefined],
    ['x-count: 5\r\nX-Meta: {"a":1}', undefined],
    ['A: 1', "part/file/0 must have required property 'X-Count'"],
    ['X-Count: x', 'part/file/0/X-Count must be integer'],
    ['X-Count: 5\r\nX-Count: 6', 'header/X-Count is given more than once'],
    ['X-Count: 5\r\nX-Meta: {', 'body/file has a header field that is not as documented: header/X-Meta'],
  ])('by a documented header field: %j', async (fields, message) => {
    const headers = {
      'X-Count': { required: true, schema: { type: 'integer' } },
      'X-Meta': { content: { 'application/json': { schema: { type: 'object' } } } },
    };
    const body = field('file', 'x', `\r\n${fields}`) + END;
    const { status, given } = await upload({ file: FILE }, body, { encoding: { file: { headers } } });
    expect([status, message === undefined || JSON.stringify(given).includes(message)]).toEqual([message === undefined ? 200 : 400, true]);
    if (message === undefined) expect(Object.keys(given)).toEqual(['file']);
  }); // prettier-ignore

  test.each<[Readonly<Record<string, object>>, object | undefined, string, object]>([
    [{ file: FILE }, png, typed('file', 'image/png; a=1'), { file: { type: 'image/png; a=1' } }],
    [{ file: list }, any, typed('file', 'a/b'), { file: [{ size: 1 }] }],
    [{ file: { anyOf: [FILE, list] } }, any, typed('file', 'a/b'), { file: { size: 1 } }],
    [{ file: { anyOf: [FILE, list] } }, any, typed('file', 'a/b') + typed('file', 'a/b'), { file: [{ size: 1 }, { size: 1 }] }],
    [{ file: { anyOf: [FILE, { type: 'null' }] } }, any, typed('file', 'a/b'), { file: { size: 1 } }],
    [{ file: {} }, png, typed('file', 'image/png'), { file: { size: 1 } }],
    [{ a: {} }, any, typed('a', 'image/png', '\xff'), { a: { name: 'f', type: 'image/png' } }],
    [{ a: {} }, any, field('a', 'x', '\r\nContent-Type: image/png'), { a: { name: '', type: 'image/png' } }],
    [{ a: {} }, any, field('a', 'x'), { a: 'x' }],
    [{}, any, typed('file', 'image/png') + field('a', 'x'), { file: { size: 1 }, a: 'x' }],
    [{ a: { type: 'array', items: object } }, any, field('a', '{"b":1}') + field('a', '{}'), { a: [{ b: 1 }, {}] }],
    [{ a: TEXT }, json, field('a', '"x"'), { a: 'x' }],
    [{ a: { type: 'string', contentEncoding: 'base64' } }, any, field('a', 'eA==', '\r\nContent-Transfer-Encoding: BASE64'), { a: 'eA==' }],
    [{ a: TEXT }, any, field('a', 'x', '\r\nContent-Type: text/html; charset=US-ASCII\r\nContent-Transfer-Encoding: 8bit'), { a: 'x' }],
    [{ a: { type: 'array', items: TEXT } }, { a: { style: 'spaceDelimited', explode: false } }, field('a', 'x y%20+'), { a: ['x', 'y%20+'] }],
    [{ a: { type: 'array', items: TEXT } }, { a: { style: 'form', explode: false } }, field('a', 'x,y'), { a: ['x', 'y'] }],
    [{ a: { type: 'object', properties: { b: TEXT } } }, { a: { style: 'deepObject' } }, field('"a[b]"', 'x'), { a: { b: 'x' } }],
  ])('but %j with the encoding %j admits %j', async (properties, encoding, body, given) => {
    expect(await upload(properties, body + END, { encoding: encoding ?? {} })).toMatchObject({ status: 200, given });
  }); // prettier-ignore
});

test('a text is not encoded and decoded, which takes many times its memory', async () => {
  const decode = jest.spyOn(globalThis, 'decodeURIComponent');
  expect(await upload({ a: TEXT }, field('a', '%41%') + END)).toMatchObject({ given: { a: '%41%' } });
  expect(decode).not.toHaveBeenCalled();
  decode.mockRestore();
});

describe('parts by their position, in OpenAPI 3.2', () => {
  const list = {
    type: 'array',
    maxItems: 4,
    prefixItems: [{ type: 'object', required: ['a'] }, { type: 'integer' }],
    items: FILE,
  };
  const prefixEncoding = [{ contentType: 'application/json' }, {}];
  const media = { schema: list, prefixEncoding, itemEncoding: { contentType: 'image/*' } };
  const json = part('Content-Type: application/json', '{"a":1}');
  const count = part('A: 1', '5');
  const image = part('Content-Type: image/png\r\nContent-Disposition: attachment; filename="a.png"', 'x');
  const sent = { name: 'a.png', type: 'image/png', size: 1, text: 'x' };

  async function send(key: string, description: object, body: string, openapi = '3.2.0') {
    let given: unknown;
    const postThing = async ({ body: list }: { readonly body: unknown }) => {
      given = await read(list);
      return { status: 204 };
    };
    const operation = { requestBody: { content: { [key]: description } } };
    const { app } = buildService({
      document: buildDocument({ operation, openapi }),
      handlers: { postThing },
    });
    return listening(app, async (port) => {
      const headers = { 'Content-Type': `${key}; boundary=b` };
      const answer = await fetch(`http://127.0.0.1:${port}/things`, { method: 'POST', headers, body });
      const text = await answer.text();
      return text === '' ? given : (JSON.parse(text) as { readonly message: string }).message;
    });
  }

  test.each<[string, object, string, unknown]>([
    ['multipart/mixed', media, json + count + image + image, [{ a: 1 }, 5, sent, sent]],
    ['multipart/related', media, json, [{ a: 1 }]],
    ['multipart/mixed', { itemSchema: { type: 'object', properties: { id: { type: 'integer', format: 'int64' } } } }, part('A: 1', '{"id":9007199254740993,"b":1}'), [{ id: 9007199254740993n }]],
    ['multipart/mixed', { itemSchema: FILE }, image, [sent]],
    ['multipart/mixed', media, json + part('A: 1', 'x'), 'body/1 must be integer'],
    ['multipart/mixed', media, part('A: 1', '{}'), "body/0 must have required property 'a'"],
    ['multipart/mixed', media, part('A: 1', '{'), 'body/0 is not well-formed JSON: expected a property name, got the end at position 1'],
    ['multipart/mixed', media, part('Content-Type: text/plain', '{}'), 'body/0 must have the Content-Type application/json'],
    ['multipart/mixed', media, json + count + part('Content-Type: text/plain'), 'body/2 must have the Content-Type image/*'],
    ['multipart/mixed', media, json + count + image.repeat(3), 'body must NOT have more than 4 items'],
    ['multipart/mixed', { itemSchema: { type: 'integer' } }, count + part('A: 1'), 'body/1 must be integer'],
  ])('%s with %j', async (key, description, body, expected) => {
    expect(await send(key, description, body + END)).toEqual(expected);
  }); // prettier-ignore

  test.each<[string, object, string, string]>([
    ['multipart/mixed', { schema: list }, '3.1.0', 'multipart/mixed cannot be served'],
    ['multipart/mixed', { schema: { type: 'object' } }, '3.2.0', 'multipart/mixed cannot be served'],
    ['multipart/mixed', {}, '3.2.0', 'multipart/mixed cannot be served'],
    ['multipart/mixed', { schema: list, prefixEncoding: [{ style: 'form' }] }, '3.2.0', 'neither a style nor headers'],
    ['multipart/mixed', { schema: { type: 'array', items: { type: 'array' } } }, '3.2.0', 'a part that is an array is JSON'],
    ['multipart/form-data', { schema: { properties: { a: { ...FILE, pattern: 'x' } } } }, '3.1.0', 'a cannot be served: pattern does not apply to files'],
    ['multipart/form-data', { schema: { properties: { a: { type: 'array', uniqueItems: true, items: FILE } } } }, '3.1.0', 'uniqueItems does not apply to files'],
    ['multipart/form-data', { schema: { properties: { a: { anyOf: [FILE, { type: 'string', format: 'uri' }] } } } }, '3.1.0', 'its schema allows bytes and other values'],
    ['multipart/form-data', { schema: { properties: { a: FILE } }, encoding: { a: { style: 'form' } } }, '3.1.0', 'style, explode and allowReserved do not apply to files'],
    ['multipart/form-data', { schema: { properties: { a: { type: 'array', items: FILE } } }, encoding: { a: { style: 'form' } } }, '3.1.0', 'style, explode and allowReserved do not apply to files'],
    ['multipart/form-data', { schema: { properties: { a: { oneOf: [TEXT, { type: 'array', items: FILE }] } } } }, '3.1.0', 'its schema allows bytes and other values'],
    ['multipart/mixed', { schema: { ...list, uniqueItems: true } }, '3.2.0', 'uniqueItems does not apply to files'],
    ['multipart/mixed', { schema: { ...list, contains: FILE } }, '3.2.0', 'contains does not apply to files'],
    ['multipart/form-data', { schema: { properties: { a: TEXT } }, encoding: { a: { contentType: 'image/png' } } }, '3.1.0', 'image/png is not text: use format binary'],
    ['multipart/form-data', { schema: { properties: { a: TEXT } }, encoding: { a: { contentType: 'x' } } }, '3.1.0', '"x" is not a media type'],
    ['multipart/form-data', { schema: { type: 'array', items: TEXT } }, '3.1.0', 'a form is an object'],
    ['multipart/form-data', { schema: {}, itemSchema: TEXT }, '3.2.0', 'are read by their names, not by itemSchema'],
    ['multipart/mixed', { schema: list, encoding: {} }, '3.2.0', 'are read by their positions, not by encoding'],
  ])('%s with %j of %s is a finding', async (key, description, openapi, finding) => {
    await expect(send(key, description, '', openapi)).rejects.toThrow(finding);
  }); // prettier-ignore
});

describe('names in brackets', () => {
  const file = (text: string) => new File([text], `${text}.png`, { type: 'image/png' });
  const given = (text: string) => ({ name: `${text}.png`, type: 'image/png', size: text.length, text });
  const properties = {
    title: TEXT,
    address: {
      anyOf: [{ type: 'object', properties: { city: TEXT, geo: { type: 'object' } } }, { enum: [''] }],
    },
    tags: { type: 'array', items: TEXT },
    colors: { type: 'array', items: { type: 'object', properties: { R: { type: 'integer' } } } },
    photos: { type: 'array', items: FILE },
    photo: FILE,
  };
  const json = (text: string) => new File([text], 'blob', { type: 'application/json' });

  it.each<[string, readonly (readonly [string, string | File])[], object]>([
    ['an object', [['address[city]', '50% +\r\n']], { address: { city: '50% +\r\n' } }],
    ['an object in an object', [['address[geo][a]', '1']], { address: { geo: { a: '1' } } }],
    ['an object that is JSON in an object', [['address[geo]', '{"a":1}']], { address: { geo: { a: 1 } } }],
    ['a text in the place of an object', [['address', '']], { address: '' }],
    ['a list', [['tags[]', 'a%62'], ['tags[]', '']], { tags: ['a%62', ''] }], // prettier-ignore
    ['a list with indexes', [['colors[1][R]', '2'], ['colors[0][R]', '1']], { colors: [{ R: 1 }, { R: 2 }] }], // prettier-ignore
    ['a list of files', [['photos[]', file('a')], ['photos[]', file('b')]], { photos: [given('a'), given('b')] }], // prettier-ignore
    ['a list of files with indexes', [['photos[1]', file('b')], ['photos[0]', file('a')]], { photos: [given('a'), given('b')] }], // prettier-ignore
  ])('carry %s', async (_, entries, expected) => {
    expect((await upload(properties, formOf(...entries))).given).toEqual(expected);
  });

  it.each<[string, readonly (readonly [string, string | File])[]]>([
    ['body/title[] is written differently in the document: title', [['title[]', 'x']]],
    ['body/photo[] is written differently in the document: photo', [['photo[]', file('a')]]],
    ['body/photos[] is given with and without brackets', [['photos', file('a')], ['photos[]', file('b')]]], // prettier-ignore
    ['body/photos has 1 items, but none with the index 0', [['photos[x]', file('a')]]],
    ['body/photos/0 is given more than once', [['photos[0]', file('a')], ['photos[0]', file('b')]]], // prettier-ignore
    ['body/address must have the Content-Type text/plain', [['address', json('{"city":"x"}')]]],
    ['body/address[city has brackets that are not in pairs: expected name[property] or name[0]', [['address[city', 'x']]], // prettier-ignore
    ['body/address/city is not an object or a list, so its name cannot have brackets', [['address[city][x]', 'x']]], // prettier-ignore
  ])('%s', async (message, entries) => {
    expect(await upload(properties, formOf(...entries))).toMatchObject({ status: 400, given: message });
  });
});
