import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import request from 'supertest';
import { parse } from 'yaml';
import published from '../../generated/openapi.json';
import { EXAMPLE, SUCCESS } from '../support/client';
import { buildApp, listening, TOKEN } from '../support/service';

/** The path of Debian's package `chromium`. */
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** The fragment of the URL that opens the operation. */
const OPERATION = `[id^="operations-"][id$="-${EXAMPLE.operationId}"] .opblock-summary-control`;

let browser: Browser;
beforeAll(async () => {
  if (!existsSync(CHROMIUM)) {
    throw new Error(
      `expected Chromium at ${CHROMIUM}: install it (apt-get install chromium) or set CHROMIUM`,
    );
  }
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
});
afterAll(() => browser.close());

/** Opens the page. Records the errors of the browser and its requests to other hosts. */
async function open(url: string): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (asked) => {
    if (!asked.url().startsWith(url) && !asked.url().startsWith('data:')) complaints.push(asked.url());
  });
  await page.goto(`${url}/-/docs`);
  return { page, complaints };
}

it('shows the contract, accepts a token, and sends a request', async () => {
  await listening(buildApp(), async (port) => {
    const { page, complaints } = await open(`http://127.0.0.1:${port}`);
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.locator('#auth-bearer-value, #api_key_value').fill(TOKEN);
    await page.getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.locator(OPERATION).click();
    // Exact text: parsing could lose the digits of a long number.
    const written = EXAMPLE.text.replace(':', ' : ');
    await page.locator('textarea.body-param__text').fill(written);
    const asked = page.waitForRequest((sent) => sent.method() === EXAMPLE.method);
    await page.getByRole('button', { name: 'Execute' }).click();
    expect((await asked).postData()).toBe(written);
    const answer = page.locator('.live-responses-table .response').first();
    await answer.waitFor();
    expect(await answer.locator('.response-col_status').innerText()).toContain(String(SUCCESS));
    expect(complaints).toEqual([]);
  });
});

it('shows the error body if the token is missing', async () => {
  await listening(buildApp(), async (port) => {
    const { page } = await open(`http://127.0.0.1:${port}`);
    await page.locator(OPERATION).click();
    await page.getByRole('button', { name: 'Execute' }).click();
    const answer = page.locator('.live-responses-table .response').first();
    await answer.waitFor();
    expect(await answer.innerText()).toMatch(/401[\s\S]*40100/);
  });
});

it('serves the published contract as JSON and as YAML', async () => {
  const app = buildApp();
  const json = await request(app)
    .get('/-/openapi.json')
    .expect(200)
    .expect('Content-Type', /^application\/json/);
  expect(json.body).toEqual(published);
  const yaml = await request(app)
    .get('/-/openapi.yaml')
    .buffer()
    .expect(200)
    .expect('Content-Type', /^application\/yaml/);
  expect(parse(yaml.text)).toEqual(published);
});

it.each(['/-/docs/', '/-/docs/package.json', '/-/docs/..%2Fpackage.json', '/-/docs/swagger-ui.js'])(
  'serves nothing else: %s',
  async (path) => {
    await request(buildApp()).get(path).expect(404);
  },
);

it('allows only scripts of this server, and no frames', async () => {
  const { headers } = await request(buildApp()).get('/-/docs').expect(200);
  expect(headers).toMatchObject({
    'content-security-policy': expect.stringContaining("script-src 'self';") as string,
    'x-content-type-options': 'nosniff',
  });
  expect(headers['content-security-policy']).not.toContain('unsafe');
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
});
