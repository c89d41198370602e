import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express from 'express';
import type { Locator, Page } from 'playwright-core';
import { parse } from 'yaml';
import { createMock } from '../../src/mock/service';
import { isObject, members, PLAIN_ERRORS } from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { createApp } from 'contract-first-server/runtime';
import { useBrowser } from '../../../../scripts/testing/browser';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, RUNTIME, withRefusals } from '../../../../scripts/testing/service';

// The documentation page, on a document with uploads, downloads, streams and the methods and queries of OpenAPI 3.2.

const DOCUMENT = parse(readFileSync(join(__dirname, './docs-bodies.yaml'), 'utf8')) as JsonObject;
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A value that arrived, with its files and bytes as text. */
function shown(value: unknown): unknown {
  if (value instanceof File) return `${value.name}, ${value.type}, ${value.size}`;
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map(shown);
  return isObject(value)
    ? Object.fromEntries(members(value).map(([name, one]) => [name, shown(one)]))
    : value;
}

interface Request {
  readonly body: unknown;
  readonly query?: { readonly most?: number };
  readonly signal: AbortSignal;
}

/** The signals of the streams that clients have begun, and what lets a stream go on. */
let followed: AbortSignal[];
let go: (value?: undefined) => void;
let gone: Promise<undefined>;
beforeEach(() => {
  followed = [];
  ({ promise: gone, resolve: go } = Promise.withResolvers<undefined>());
});

const aborted = (signal?: AbortSignal) =>
  new Promise((resolve) => {
    if (signal?.aborted) resolve(undefined);
    else signal?.addEventListener('abort', resolve);
  });

async function* photos({ query, signal }: Request) {
  followed.push(signal);
  const caption = 'sunset';
  yield { event: 'added', data: { caption } };
  await Promise.race([gone, aborted(signal)]);
  if (query?.most === 1) throw new Error('no more');
  yield { event: 'removed', data: { caption } };
}

const show = ({ body, query }: Request) =>
  Promise.resolve({ status: 200, body: { body: shown(body ?? null), query: query ?? null } });
const bytes = () => Promise.resolve({ status: 200, body: PNG });
const handlers = {
  addPhoto: show,
  addSeries: show,
  searchPhotos: show,
  copyPhotos: show,
  tracePhotos: show,
  findPhotos: show,
  importPhotos: async ({ body }: { body: AsyncIterable<unknown> }) => {
    const items = [];
    for await (const item of body) items.push(item);
    return { status: 200, body: items };
  },
  exportPhotos: () =>
    Promise.resolve({ status: 200, body: ReadableStream.from([{ caption: 'a' }, { caption: 'b' }]) }),
  putBackdrop: show,
  getBackdrop: bytes,
  getReport: bytes,
  follow: (request: Request) => Promise.resolve({ status: 200, body: photos(request) }),
};

const app = () =>
  createApp(
    { handlers, errors: PLAIN_ERRORS },
    { ...RUNTIME, document: withRefusals(DOCUMENT), strategies: {} },
  );

const openPage = useBrowser();

/** Opens the operation on the page of an application. Nothing may be refused by the browser, or asked from another server. */
const tried = (
  operationId: string,
  use: (operation: Locator, page: Page) => Promise<void>,
  service: express.Express = app(),
  allowed = /^$/,
) =>
  listening(service, async (port) => {
    const { page, complaints } = await openPage(`http://127.0.0.1:${port}`, '/-/docs');
    const operation = page.locator(`[id="operations-default-${operationId}"]`);
    await operation.locator('.opblock-summary-control').click();
    await use(operation, page);
    expect(complaints.filter((text) => !text.startsWith('blob:') && !allowed.test(text))).toEqual([]);
    await page.close();
  });

const execute = (operation: Locator) => operation.getByRole('button', { name: 'Execute' }).click();
const body = (operation: Locator) =>
  operation.locator('.live-responses-table .microlight, .live-responses-table code').first();

/** What arrived, as the page shows it. */
async function answered(operation: Locator): Promise<unknown> {
  await execute(operation);
  return JSON.parse(await body(operation).innerText());
}

it('sends a form with fields, lists and files', async () => {
  await tried('addPhoto', async (operation) => {
    const field = (name: string) => operation.locator(`[data-property-name=${name}]`);
    await field('title').locator('input[type=text]').fill('A "sunset"');
    const file = { name: 'süß.png', mimeType: 'image/png', buffer: PNG };
    await field('file').locator('input[type=file]').setInputFiles(file);
    await field('tags').getByRole('button', { name: 'Add' }).click();
    await field('tags').locator('input').first().fill('sea');
    await field('tags').locator('input').last().fill('sky, red');
    await field('details').getByRole('button', { name: 'Add' }).click();
    await field('details').locator('input[type=file]').waitFor();
    await field('details').locator('input[type=file]').last().setInputFiles(file);
    await field('marks').getByRole('button', { name: 'Add' }).click();
    const sent = `süß.png, image/png, ${PNG.length}`;
    expect(await answered(operation)).toEqual({
      body: {
        title: 'A "sunset"',
        file: sent,
        tags: ['sea', 'sky, red'],
        details: [sent],
        meta: { rating: 1 },
        marks: [{ x: 1 }, { x: 1 }],
      },
      query: null,
    });
    await field('marks').getByRole('button', { name: '-' }).last().click();
    await operation.getByRole('button', { name: 'Clear' }).click();
    expect(await answered(operation)).toMatchObject({ body: { marks: [{ x: 1 }] } });
  });
});

it('writes what is nested with brackets, in the query, the form and the line of curl', async () => {
  await tried('addSeries', async (operation) => {
    const range = { years: [1999, 2000], place: { city: 'Rome & [x]' } };
    await operation.locator('[data-param-name=range] textarea').fill(JSON.stringify(range));
    await operation.locator('[data-param-name=most] input').fill('3');
    await operation.locator('[data-property-name=range] textarea').fill(JSON.stringify(range));
    const tags = operation.locator('[data-property-name=tags]');
    await tags.getByRole('button', { name: 'Add' }).click();
    await tags.locator('input[type=text]').first().fill('sea');
    await tags.locator('input[type=text]').last().fill('sky, red');
    expect(await answered(operation)).toEqual({
      body: { range, tags: ['sea', 'sky, red'] },
      query: { range, most: 3 },
    });
    const curl = await operation.locator('.curl').innerText();
    expect(curl).toContain('range%5Bplace%5D%5Bcity%5D=Rome+%26+%5Bx%5D');
    expect(curl).toMatch(/tags(\[|%5B)1(\]|%5D)=sky/);
  });
});

it('sends bytes', async () => {
  await tried('putBackdrop', async (operation) => {
    await operation
      .locator('input[type=file]')
      .setInputFiles({ name: 'a', mimeType: '', buffer: Buffer.from('abc') });
    expect(await answered(operation)).toEqual({ body: 'abc', query: null });
  });
});

it('saves bytes as a file', async () => {
  await tried('getReport', async (operation, page) => {
    await execute(operation);
    const saved = page.waitForEvent('download');
    await operation.getByText('Download file').click();
    expect((await saved).suggestedFilename()).toBe('report.pdf');
    expect(readFileSync(await (await saved).path())).toEqual(PNG);
  });
});

it('shows an image', async () => {
  await tried('getBackdrop', async (operation) => {
    await execute(operation);
    const image = operation.locator('.live-responses-table img');
    await image.waitFor();
    expect(await image.boundingBox()).toMatchObject({ width: 1, height: 1 });
  });
});

it.each([
  ['searchPhotos', { after: '9007199254740993', tags: ['a', 'b c'], color: { R: 1 } }],
  ['copyPhotos', { after: '9007199254740993', tags: ['a', 'b c'], color: { R: 1 } }],
])('sends the whole query as a form: %s', async (operationId, query) => {
  await tried(operationId, async (operation) => {
    await operation
      .locator('[data-param-in=querystring] textarea')
      .fill('{ "after": 9007199254740993, "tags": ["a", "b c"], "color": { "R": 1 } }');
    await execute(operation);
    const text = (await body(operation).innerText()).replace(/("after": )(\d+)/, '$1"$2"');
    expect(JSON.parse(text)).toMatchObject({ query });
  });
});

it('sends the whole query as it is written', async () => {
  await tried('copyPhotos', async (operation) => {
    await operation.locator('[data-param-in=querystring] textarea').fill('after=2&tags=a');
    expect(await answered(operation)).toEqual({ body: null, query: { after: 2, tags: ['a'] } });
  });
});

it('sends the whole query as JSON', async () => {
  await tried('findPhotos', async (operation) => {
    await operation.locator('[data-param-in=querystring] textarea').fill('{ "title": "a+b & c" }');
    expect(await answered(operation)).toEqual({ body: null, query: { title: 'a+b & c' } });
  });
});

it('names a method that a page cannot send', async () => {
  await tried('tracePhotos', async (operation) => {
    await operation.getByText('A browser cannot send TRACE.').waitFor();
    expect(await operation.getByRole('button', { name: 'Execute' }).count()).toBe(0);
  });
});

it('sends the lines of a stream, and begins with an example', async () => {
  await tried('importPhotos', async (operation) => {
    expect(await operation.locator('textarea.body-param__text').inputValue()).toBe(
      '{"caption":"A short text"}\n',
    );
    await operation.locator('textarea.body-param__text').fill('{"caption":"a"}\n{"caption":"b"}\n');
    expect(await answered(operation)).toEqual([{ caption: 'a' }, { caption: 'b' }]);
  });
});

it('shows the items of a stream that ends', async () => {
  await tried('exportPhotos', async (operation) => {
    await execute(operation);
    await operation.getByText('2 items; the stream has ended').waitFor();
    expect(await body(operation).innerText()).toBe('{"caption":"a"}\n{"caption":"b"}\n');
  });
});

describe('events', () => {
  const first = 'event: added\ndata: {"caption":"sunset"}\n\n';

  it('are shown as they come, until they are stopped', async () => {
    await tried('follow', async (operation) => {
      await execute(operation);
      await operation.getByText('1 item so far').waitFor();
      expect(await body(operation).innerText()).toBe(first);
      await operation.getByRole('button', { name: 'Stop' }).click();
      await operation.getByText('1 item; stopped').waitFor();
      expect(await operation.getByRole('button', { name: 'Stop' }).count()).toBe(0);
      await aborted(followed[0]);
      expect(await body(operation).innerText()).toBe(first);
    });
  });

  it.each([
    ['1', '1 item; then the connection broke off', /ERR_(CONNECTION_RESET|INCOMPLETE_CHUNKED_ENCODING)/],
    ['2', '2 items; the stream has ended', undefined],
  ])('are shown up to their end: %s', async (most, state, allowed) => {
    await tried(
      'follow',
      async (operation) => {
        await operation.locator('[data-param-name=most] input').fill(most);
        await execute(operation);
        await operation.getByText('1 item so far').waitFor();
        go();
        await operation.getByText(state).waitFor();
      },
      app(),
      allowed,
    );
  });

  it('end when the answer is cleared, or the request is sent again', async () => {
    await tried('follow', async (operation) => {
      for (const end of ['Execute', 'Clear']) {
        if (end === 'Execute') await execute(operation);
        await operation.getByText('1 item so far').waitFor();
        await operation.getByRole('button', { name: end }).click();
        await aborted(followed.shift());
      }
      expect(await operation.locator('.live-responses-table').count()).toBe(0);
    });
  });
});

it('shows the schema of items, and tries a mock', async () => {
  const options = { tokens: [], bodyLimit: 1_000, maxRequests: 10, report: () => undefined, extensions: {} };
  const items = { properties: { data: { type: 'string' } }, required: ['data'] };
  const content = { 'text/event-stream': { 'x-item-schema': items } };
  const responses = { 200: { description: 'what happens', content } };
  const { service } = createMock(buildDocument({ operation: { responses } }), options);
  await tried(
    'postThing',
    async (operation) => {
      await operation.getByRole('tab', { name: 'Schema' }).click();
      await operation.getByRole('button', { name: 'Expand all' }).first().click();
      await operation.getByText('data', { exact: true }).waitFor();
      await execute(operation);
      await operation.getByText('the stream has ended').waitFor();
      expect(await body(operation).innerText()).toMatch(/^data: /);
    },
    express().use(service),
  );
});
