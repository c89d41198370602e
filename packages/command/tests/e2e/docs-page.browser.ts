import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express from 'express';
import type { Locator, Page } from 'playwright-core';
import { parse } from 'yaml';
import { createMock } from '../../src/mock/service';
import type { JsonObject } from 'contract-first-server';
import { axeFindings } from '../../../../scripts/testing/axe';
import { useBrowser } from '../../../../scripts/testing/browser';
import { buildDocument, listening, TOKEN } from '../../../../scripts/testing/service';

// How the documentation page looks and what it keeps, on a document with everything that it shows.

const DOCUMENT = parse(readFileSync(join(__dirname, './docs-page.yaml'), 'utf8')) as JsonObject;

const openPage = useBrowser();

/** A mock of a document, which accepts the token for every scheme. */
const mockOf = (document: JsonObject) =>
  createMock(document, {
    tokens: [TOKEN],
    bodyLimit: 1_000_000,
    maxRequests: 100,
    report: () => undefined,
    extensions: {},
  }).service;

/** Opens the page of a mock, which may be behind a prefix that a proxy removes. */
const shown = (
  document: JsonObject,
  use: (page: Page, address: string) => Promise<void>,
  { prefix = '', ...options }: Parameters<typeof openPage>[2] & { readonly prefix?: string } = {},
) =>
  listening(express().use(prefix || '/', mockOf(document)), async (port) => {
    const address = `http://127.0.0.1:${port}${prefix}`;
    const { page } = await openPage(address, '/-/docs', options);
    await page.locator('.opblock').first().waitFor();
    await use(page, address);
    await page.close();
  });

const operation = (page: Page, id: string): Locator => page.locator(`[id^=operations-][id$="-${id}"]`);

async function clickAll(locator: Locator): Promise<void> {
  for (const one of await locator.all()) await one.click();
}

/** The cells that are too narrow to be read, and what is wider than the window. */
const MISFITS = `[
  ...[...document.querySelectorAll('td')].filter((cell) => cell.textContent.length > 20 && cell.clientWidth < 100),
  ...[...document.querySelectorAll('#docs *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1),
].map((one) => one.outerHTML.slice(0, 200))`;

describe.each(['light', 'dark'] as const)('in %s colors', (colorScheme) => {
  it.each([1280, 390])('the page at %i pixels has what axe asks for, and fits', async (width) => {
    const viewport = { width, height: 900 };
    await shown(
      DOCUMENT,
      async (page) => {
        await clickAll(page.locator('.opblock-summary-control'));
        await clickAll(page.getByRole('button', { name: 'Execute' }));
        await page.locator('.live-responses-table').first().waitFor();
        expect(await axeFindings(page)).toEqual([]);
        await clickAll(page.locator('.same-body button'));
        await clickAll(page.getByRole('tab', { name: 'Schema' }));
        await page.locator('.json-schema-2020-12').first().waitFor();
        await page.locator('.auth-wrapper .authorize').first().click();
        await page.getByRole('dialog').waitFor();
        expect(await axeFindings(page)).toEqual([]);
        expect(await page.evaluate(MISFITS)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      },
      { colorScheme, viewport, reducedMotion: 'reduce' },
    );
  });
});

it('follows the colors of the system when they change', async () => {
  await shown(buildDocument(), async (page) => {
    const background = () =>
      page.evaluate<string>('getComputedStyle(document.querySelector(".swagger-ui")).backgroundColor');
    const seen = [];
    for (const colorScheme of ['light', 'dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor();
      seen.push(await background());
    }
    expect(seen[0]).toBe(seen[2]);
    expect(seen[0]).not.toBe(seen[1]);
  });
});

it.each([
  ['list', ['listPictures']],
  ['get PICTURES', ['getPicture', 'listPictures']],
  ['addpicture', ['addPicture']],
  ['/pictures/{id} put', ['putPicture']],
  ['nothing of this', []],
])('finds operations by words: %s', async (words, ids) => {
  await shown(DOCUMENT, async (page) => {
    await page.getByLabel('Filter the operations').fill(words);
    await page
      .getByText(ids.length === 0 ? 'No operation has these words.' : `${ids.length} found`)
      .waitFor();
    const found = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.opblock:not(.webhooks-container *)')].map(({ id }) => id)`,
    );
    expect(found.map((id) => id.split('-').pop()).toSorted()).toEqual(ids);
  });
});

it('folds the errors of an operation that have the same body into a line', async () => {
  await shown(DOCUMENT, async (page) => {
    const list = operation(page, 'listPictures');
    await list.locator('.opblock-summary-control').click();
    const codes = () => list.locator('.responses-table .response-col_status').allInnerTexts();
    const rows = async () => (await codes()).map((text) => text.trim()).filter((text) => text !== 'Code');
    const line = list.getByRole('button', { name: '400, 401, 403 and 503: the same body, Error' });
    expect(await rows()).toEqual(['200', '404', 'default']);
    await line.press('Enter');
    expect(await rows()).toEqual(['200', '400', '401', '403', '503', '404', 'default']);
    expect(await list.locator('[data-code="400"] .example').count()).toBe(1);
    expect(await list.locator('[data-code="403"] .example').count()).toBe(0);
    await list.locator('[data-code="401"]').getByText('WWW-Authenticate').waitFor();
    // An example of its own is not folded away.
    expect(await list.locator('[data-code="503"] .example').innerText()).toContain('503');
    await line.click();
    expect(await rows()).toEqual(['200', '404', 'default']);
  });
});

describe('credentials', () => {
  const http = (scheme: string) => ({
    security: [{ login: [] }],
    components: { securitySchemes: { login: { type: 'http', scheme } } },
  });
  const locked = (page: Page) => page.locator('.auth-wrapper .authorize.locked').count();

  async function authorize(page: Page): Promise<void> {
    await page.locator('.auth-wrapper .authorize').click();
    await page.locator('#auth-bearer-value').fill(TOKEN);
    await page.getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
  }

  it('are kept for the tab until the logout', async () => {
    await shown(buildDocument(http('bearer')), async (page) => {
      await authorize(page);
      await page.reload();
      await page.locator('.auth-wrapper .authorize.locked').waitFor();
      const thing = operation(page, 'postThing');
      await thing.locator('.opblock-summary-control').click();
      const sent = page.waitForRequest((asked) => asked.method() === 'POST');
      await thing.getByRole('button', { name: 'Execute' }).click();
      expect((await sent).headers()).toMatchObject({ authorization: `Bearer ${TOKEN}` });
      expect(await page.evaluate('localStorage.length')).toBe(0);
      const opened = page.context().waitForEvent('page');
      await page.evaluate("open(location.href, '_blank', 'noopener')");
      const other = await opened;
      await other.locator('.auth-wrapper .authorize.unlocked').waitFor();
      await page.locator('.auth-wrapper .authorize').click();
      await page.getByRole('button', { name: 'Logout' }).click();
      await page.reload();
      await page.locator('.auth-wrapper .authorize').waitFor();
      expect(await locked(page)).toBe(0);
      expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(TOKEN);
    });
  });

  it.each([
    ['another scheme', http('basic')],
    ['another service', { ...http('bearer'), info: { title: 'Another', version: '1' } }],
    ['none', {}],
  ])('are not given to %s at the same address', async (_name, other) => {
    let service = mockOf(buildDocument(http('bearer')));
    const app = express().use((request, response, next) => {
      service(request, response, next);
    });
    await listening(app, async (port) => {
      const { page } = await openPage(`http://127.0.0.1:${port}`, '/-/docs');
      await authorize(page);
      service = mockOf(buildDocument(other));
      await page.reload();
      await page.locator('.opblock').waitFor();
      expect(await locked(page)).toBe(0);
    });
  });
});

describe('servers', () => {
  const options = (page: Page) =>
    page.evaluate<string[]>(`[...document.querySelectorAll('#servers option')].map(({ value }) => value)`);

  async function statusOf(page: Page): Promise<number> {
    const thing = operation(page, 'postThing');
    await thing.locator('.opblock-summary-control').click();
    const answered = page.waitForResponse((one) => one.request().method() === 'POST');
    await thing.getByRole('button', { name: 'Execute' }).click();
    return (await answered).status();
  }

  const API = 'https://api.example.org';
  it.each<[servers: JsonObject[] | undefined, own: string[], others: string[]]>([
    [undefined, ['/'], []],
    [[{ url: '/' }], ['/'], []],
    [[{ url: '/v1' }, { url: 'v2/' }, { url: './v3' }, { url: '../v4' }], ['/v1', '/v2/', '/v3', '/v4'], []],
    [
      [{ url: `${API}/v1` }, { url: `${API}:8443/v1` }, { url: '/v2' }],
      ['/v1', '/v2'],
      [`${API}/v1`, `${API}:8443/v1`],
    ],
    [[{ url: '//api.example.org/v1' }], ['/v1'], ['//api.example.org/v1']],
    [[{ url: '{base}/v1', variables: { base: { default: API } } }], ['/v1'], ['{base}/v1']],
    [
      [
        {
          url: 'https://{a}.example.org/{v}/x',
          variables: { a: { default: 'eu' }, v: { default: '1', enum: ['1', '2'] } },
        },
      ],
      ['/{v}/x'],
      ['https://{a}.example.org/{v}/x'],
    ],
    [[{ url: '/{v}', variables: { v: { default: 'v1' } } }], ['/v1'], []],
  ])('offers its own first, at which the operations are: %j', async (servers, own, others) => {
    // A proxy may remove a prefix.
    const prefix = own.length > 1 ? '/behind/a/proxy' : '';
    await shown(
      buildDocument(servers && { servers }),
      async (page, address) => {
        expect(await options(page)).toEqual([...own.map((path) => address + path), ...others]);
        expect(await statusOf(page)).toBe(204);
      },
      { prefix },
    );
  });

  it.each(['operation', 'path'])('offers its own first where the %s has servers', async (level) => {
    const servers = [{ url: `${API}/v1` }];
    const document = buildDocument({ operation: level === 'operation' ? { servers } : {} });
    const paths = document['paths'] as Record<string, JsonObject>;
    if (level === 'path') paths['/things'] = { ...paths['/things'], servers };
    await shown(document, async (page, address) => {
      const sent = page.waitForRequest((asked) => asked.method() === 'POST');
      expect(await statusOf(page)).toBe(204);
      expect((await sent).url()).toBe(`${address}/v1/things`);
    });
  });

  it('sends a request to another server that is chosen', async () => {
    await listening(express().use(mockOf(buildDocument())), async (port) => {
      const other = `http://127.0.0.1:${port}/`;
      const servers = [
        {
          url: 'http://{host}:{port}/',
          variables: { host: { default: '127.0.0.1' }, port: { enum: ['1', `${port}`], default: '1' } },
        },
      ];
      await shown(buildDocument({ servers }), async (page) => {
        await page.locator('#servers').selectOption({ index: 1 });
        await page.getByLabel('Server variable port').selectOption(`${port}`);
        const sent = page.waitForRequest((asked) => asked.method() === 'POST');
        expect(await statusOf(page)).toBe(204);
        expect((await sent).url()).toBe(`${other}things`);
      });
    });
  });
});
