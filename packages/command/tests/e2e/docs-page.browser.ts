import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express from 'express';
import type { Locator, Page } from 'playwright-core';
import { parse } from 'yaml';
import { createMock } from '../../src/mock/service';
import type { JsonObject } from 'contract-first-server';
import { axeFindings } from '../../../../scripts/testing/axe';
import { useBrowser } from '../../../../scripts/testing/browser';
import { listening } from '../../../../scripts/testing/listening';
import { TOKEN } from '../../../../scripts/testing/plant-service';
import { buildDocument } from '../../../../scripts/testing/service';

// How the documentation page looks and what it keeps, on a document with everything that it shows.

const load = (name: string) => parse(readFileSync(join(__dirname, name), 'utf8')) as JsonObject;
const DOCUMENT = load('docs-page.yaml');

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

const FIXTURES = ['docs-page.yaml', 'docs-bodies.yaml', 'library/library.yaml'] as const;

/** Opens whatever can be opened, and leaves the rest to React. */
const press = (selector: string) =>
  `document.querySelectorAll(${JSON.stringify(selector)}).forEach((one) => one.click())`;

const SIZES = [
  ...FIXTURES.flatMap((name) => [390, 1280].map((width) => [name, width] as const)),
  ['docs-page.yaml', 2560] as const,
];
it.each(SIZES)(
  'the page of %s at %i pixels has what axe asks for in light and dark colors, and fits',
  async (name, width) => {
    await shown(
      load(name),
      async (page) => {
        const check = async () => {
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme });
            await page.locator(colorScheme === 'dark' ? 'html.dark-mode' : 'html:not(.dark-mode)').waitFor();
            const rules = colorScheme === 'dark' ? ['color-contrast'] : undefined;
            expect([colorScheme, ...(await axeFindings(page, rules))]).toEqual([colorScheme]);
          }
          expect(await page.evaluate(MISFITS)).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
        };
        await clickAll(page.locator('.opblock-summary-control'));
        await page.locator('.execute').last().waitFor();
        await page.evaluate(press('.execute, .same-body button'));
        await page.locator('.live-responses-table').first().waitFor();
        await check();
        await page.evaluate(press('[role=tab]:not([aria-selected=true]), .samples button:nth-child(3)'));
        await page.evaluate(press('.json-schema-2020-12-expand-deep-button, .auth-wrapper .authorize'));
        await page.locator('.json-schema-2020-12-property:visible').first().waitFor();
        await check();
      },
      { viewport: { width, height: 900 }, reducedMotion: 'reduce' },
    );
  },
  180_000,
);

describe('the sidebar', () => {
  const block = (id: string) => `document.querySelector('[id^=operations-][id$="-${id}"]')`;
  const current = (page: Page) => page.locator('nav [aria-current]');
  const link = (page: Page, name: string) => page.getByRole('navigation').getByRole('link', { name });

  it('names each operation by its summary or operationId, under its tag', async () => {
    await shown(DOCUMENT, async (page) => {
      const texts = await page.getByRole('navigation').locator('h2, a').allInnerTexts();
      expect(texts.map((text) => text.replace(/\s+/g, ' '))).toEqual([
        'pictures',
        'List the pictures GET',
        'addPicture POST',
        'Operations',
        'getPicture GET',
        'putPicture PUT',
        'patchPicture PATCH',
        'deletePicture DELETE',
        'headPicture HEAD',
        'optionsPicture OPTIONS',
        'Webhooks',
        'Schemas',
      ]);
      expect(await operation(page, 'putPicture').innerText()).toContain('putPicture');
      expect(await page.getByText('default', { exact: true }).count()).toBe(0);
    });
  });

  it('follows the reader, and leads to an operation', async () => {
    await shown(DOCUMENT, async (page) => {
      await clickAll(page.locator('.opblock-summary-control'));
      for (const id of ['patchPicture', 'getPicture', 'deletePicture']) {
        await page.evaluate(`${block(id)}.scrollIntoView()`);
        await current(page).filter({ hasText: id }).waitFor();
        expect(await current(page).count()).toBe(1);
      }
      await page.reload();
      await link(page, 'addPicture').click();
      await operation(page, 'addPicture').getByText('Request body').first().waitFor();
      await current(page).filter({ hasText: 'addPicture' }).waitFor();
      expect(page.url()).toMatch(/#\/pictures\/addPicture$/);
      const top = await page.evaluate<number>(`${block('addPicture')}.getBoundingClientRect().top`);
      expect(top).toBeLessThan(100);
    });
  });

  it('leads to an operation of a document with hundreds', async () => {
    const responses = { 204: { description: 'Done.' } };
    const paths = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [
        `/things${i}`,
        { get: { operationId: `getThing${i}`, responses } },
      ]),
    );
    const info = { title: 'Many', version: '1' };
    await shown({ openapi: '3.1.0', info, paths }, async (page) => {
      await link(page, 'getThing250 ').click();
      await operation(page, 'getThing250').getByRole('button', { name: 'Execute' }).waitFor();
      await current(page).filter({ hasText: 'getThing250' }).waitFor();
    });
  });
});

it('shows code that sends what the form holds, before anything is sent', async () => {
  await shown(DOCUMENT, async (page, address) => {
    const add = operation(page, 'addPicture');
    await add.locator('.opblock-summary-control').click();
    const code = add.locator('.samples pre');
    await code.getByText('"title": "Fish"').waitFor();
    await add.locator('textarea.body-param__text').fill('{"title": "Bird"}');
    await code.getByText('{"title": "Bird"}').waitFor();
    const text = await code.innerText();
    expect(text).toContain(`curl '${address}/museum/pictures?limit=20'`);
    expect(text).toContain('-H "Authorization: Bearer $TOKEN"');
    await add.getByRole('button', { name: 'fetch' }).click();
    expect(await code.innerText()).toContain("title: 'Bird'");
    await add.getByRole('button', { name: 'TypeScript client' }).click();
    expect(await code.innerText()).toContain('await api.addPicture({');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await add.getByRole('button', { name: 'Copy', exact: true }).click();
    await add.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('api.addPicture');
  });
});

it('offers the document, says what each credential field expects, and names types by their schemas', async () => {
  await shown(DOCUMENT, async (page) => {
    for (const name of ['JSON', 'YAML']) {
      const downloaded = page.waitForEvent('download');
      await page.getByRole('link', { name, exact: true }).click();
      expect((await downloaded).suggestedFilename()).toBe(`openapi.${name.toLowerCase()}`);
    }
    await page.locator('.auth-wrapper .authorize').first().click();
    const hints = await page.getByRole('dialog').locator('.hint').allInnerTexts();
    expect(hints.length).toBe(await page.getByRole('dialog').locator('.auth-container').count());
    expect(hints[0]).toBe('The token alone, without “Bearer”. It is sent as Authorization: Bearer TOKEN.');
    expect(hints).toContain('The key. It is sent as the header field X-Key.');
    await page.getByRole('button', { name: 'Close' }).first().click();
    const list = operation(page, 'listPictures');
    await list.locator('.opblock-summary-control').click();
    await list.getByRole('tab', { name: 'Schema' }).last().click();
    await list.locator('[data-code="200"]').getByRole('tab', { name: 'Schema' }).click();
    await list.getByText('Picture[]').first().waitFor();
  });
});

it('opens, fills and sends an operation by the keyboard alone', async () => {
  await shown(DOCUMENT, async (page) => {
    const reach = async (key: string, until: string) => {
      for (let i = 0; i < 60; i++) {
        await page.keyboard.press(key);
        const text = await page.evaluate<string>(
          '[document.activeElement.textContent, document.activeElement.ariaLabel, document.activeElement.placeholder].join(" ")',
        );
        const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
        expect([text, outline]).not.toEqual([text, 'none']);
        if (text.includes(until)) return;
      }
      throw new Error(`${key} does not lead to ${until}`);
    };
    await reach('Tab', 'addPicture');
    await page.keyboard.press('Enter');
    await page.getByText('Callbacks').first().waitFor(); // Swagger UI shows the parts of an operation once it has resolved them
    await reach('Tab', 'Callbacks');
    await page.keyboard.press('Enter');
    await page.getByText('{$request.body#/title}').waitFor();
    await reach('Shift+Tab', 'Parameters');
    await page.keyboard.press('Space');
    await reach('Tab', 'Request body');
    await reach('Tab', 'Execute');
    await page.keyboard.press('Enter');
    await page.locator('.live-responses-table').waitFor();
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
