import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ServiceOptions } from '../../src/contract';
import type { OperationalKind } from '../../src/runtime';
import { buildDocument, buildService, json, listening } from '../support/service';

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
  body: FormData | string,
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
    const headers = typeof body === 'string' ? { 'Content-Type': 'multipart/form-data; boundary=b' } : {};
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
