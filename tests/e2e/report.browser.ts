import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { run, writeReport } from '../../scripts/prove';
import { correctServer, target } from '../prove/support/simple-server';

/** The path of Debian's package `chromium`. */
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

const HOSTILE =
  '</pre><img src="https://example.org/x" onerror="document.title = 1"><script>document.title = 2</script>';

let browser: Browser;
let folder: string;
beforeAll(async () => {
  if (!existsSync(CHROMIUM)) throw new Error(`expected Chromium at ${CHROMIUM}: install it or set CHROMIUM`);
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  folder = mkdtempSync(join(tmpdir(), 'report-'));
  const broken = target((request, body) =>
    Number(body) > 1_000_000 ? { status: 200, body: HOSTILE } : correctServer(request, body),
  );
  writeReport(await run(broken, { generated: 5 }), folder);
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

/** Opens the report. Records the errors of the browser and its requests to other places. */
async function open(width: number): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 900 } });
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (sent) => {
    if (!sent.url().startsWith('file:')) complaints.push(sent.url());
  });
  await page.goto(`file://${folder}/index.html`);
  return { page, complaints };
}

const states = (page: Page): Promise<string[]> =>
  page.locator('#obligations tbody tr:visible td:first-child').allInnerTexts();

it('shows the text of a hostile server as text, and loads nothing', async () => {
  const { page, complaints } = await open(1280);
  expect(await page.locator('h1').innerText()).toMatch(/^Numbers breaks its contract/);
  expect(await page.locator('#causes').innerText()).toContain('document.title = 2');
  expect(await page.title()).toBe('Numbers: contract');
  expect(complaints).toEqual([]);
});

it('filters and sorts the obligations by mouse and by keyboard', async () => {
  const { page } = await open(1280);
  const rows = page.locator('#obligations tbody tr');
  const all = await rows.count();
  await page.getByRole('button', { name: 'Unproven' }).click();
  expect(new Set(await states(page))).toEqual(new Set(['UNPROVEN']));
  await page.locator('#obligations').getByRole('button', { name: 'All', exact: true }).click();
  await page.locator('#obligations').getByLabel('Filter the rows').fill('maximum violates');
  expect(await page.locator('#obligations tbody tr:visible').count()).toBe(1);
  expect(await page.locator('#obligations output').innerText()).toBe(`1 of ${all}`);
  await page.locator('#obligations').getByLabel('Filter the rows').fill('');
  const passed = page.locator('#obligations th', { hasText: 'passed' });
  await passed.getByRole('button').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Enter');
  expect(await passed.getAttribute('aria-sort')).toBe('descending');
  const counts = (await page.locator('#obligations tbody td:nth-child(4)').allInnerTexts()).map(Number);
  expect(counts).toEqual(counts.toSorted((a, b) => b - a));
});

it('changes to the dark theme, and fits a phone and a printer', async () => {
  const { page } = await open(390);
  const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const light = await background();
  await page.getByRole('button', { name: 'Dark' }).click();
  expect(await background()).not.toBe(light);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.tools:visible').count()).toBe(0);
  expect(await background()).toBe('rgb(255, 255, 255)');
});
