import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { run, writeReport } from 'contract-first-prover';
import { axeFindings } from '../../../../scripts/testing/axe';
import { useBrowser } from '../../../../scripts/testing/browser';
import { keepFolder } from '../../../../scripts/testing/folder';
import { summarize } from '../../src/report/summary';
import { correctServer, target } from '../support/simple-server';

const HOSTILE =
  '</pre><img src="https://example.org/x" onerror="document.title = 1"><script>document.title = 2</script>';

const folder = keepFolder();
const openPage = useBrowser();
beforeAll(async () => {
  const broken = target((request, body) =>
    Number(body) > 1_000_000 ? { status: 200, body: HOSTILE } : correctServer(request, body),
  );
  const result = await run(broken, { generated: 5 });
  writeReport(result, folder);
  const many = <T>(list: readonly T[]): T[] =>
    Array.from({ length: 1000 }, () => list)
      .flat()
      .slice(0, 1000);
  const groups = many(result.groups).slice(0, 100);
  const long = { ...result, groups, obligations: many(result.obligations), failures: many(result.failures) };
  writeReport(long, join(folder, 'long'));
  const stubs = Array.from({ length: 100 }, (_, i) => `operation${i}`);
  const all = stubs.flatMap((operation) =>
    many(result.obligations)
      .slice(0, 43)
      .map((one) => ({ ...one, operation, failed: 0, state: 'STUB' as const, reason: 'it is a stub' })),
  );
  const facts = { title: 'Numbers', obligations: all, failures: [], causes: 0, stubs, seconds: 1 };
  const counts = { unselected: 0, requestsLeftOut: 0, expiredWaivers: 0, requests: 9, stopped: undefined };
  const summary = summarize({ ...facts, ...counts });
  const { passed } = summary;
  const none = { failures: [], groups: [], warnings: [], waived: [] };
  writeReport({ ...result, ...none, obligations: all, summary, passed }, join(folder, 'hundred'));
});
const open = (width: number, path = '', options: BrowserContextOptions = {}) =>
  openPage('file:', `//${join(folder, path)}/index.html`, { viewport: { width, height: 900 }, ...options });

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

const height = (page: Page) => page.evaluate<number>('document.documentElement.scrollHeight');

it('folds on a phone what is long, and shows the rest on demand', async () => {
  const { page } = await open(390, 'long');
  expect(await height(page)).toBeLessThan(10_000);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
  const obligations = page.locator('#obligations');
  const rows = obligations.locator('tbody tr:visible');
  expect(await rows.count()).toBe(0);
  await page.goto(`file://${folder}/long/index.html#obligations`);
  expect(await rows.count()).toBe(30);
  await obligations.getByRole('button', { name: 'Show 30 more' }).click();
  expect(await rows.count()).toBe(60);
  await obligations.getByText('All 1000').click();
  expect(await rows.count()).toBe(0);
  const cause = page.locator('#causes article').first();
  expect(await cause.getByText('Problems').isVisible()).toBe(false);
  await cause.getByText('Details').click();
  expect(await cause.getByText('Problems').isVisible()).toBe(true);
  // A wide window folds only what is very long, and has no other summary.
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.locator('.fold:not(.long) > summary:visible').first().waitFor({ state: 'hidden' });
  expect(await page.locator('.fold:not(.long):not([open])').count()).toBe(0);
  await obligations.getByText('The other 750 are in contract.json.').waitFor();
});

it.each([
  ['a desk', 1280, 900],
  ['a phone', 390, 844],
])('has a hundred operations in 300 kB and on two screens of %s', async (_, width, screen) => {
  const { page } = await open(width, 'hundred');
  expect(statSync(join(folder, 'hundred/index.html')).size).toBeLessThan(300_000);
  expect(await height(page)).toBeLessThan(2 * screen);
});

it('says first that only stubs responded', async () => {
  const { page } = await open(1280, 'hundred');
  expect(await page.locator('h1').innerText()).toMatch(/^Nothing of Numbers is proven yet: 100 stubs \(/);
  expect(await page.locator('.hero .badge').innerText()).toBe('Nothing proven');
  expect(await page.locator('.badge.good').count()).toBe(0);
});

it('says where a rule is in words, then by its pointer', async () => {
  const { page } = await open(1280);
  const rule = page.locator('#obligations tbody td', { hasText: 'minimum violates' });
  expect(await rule.innerText()).toMatch(/^body application\/json: minimum violates\s+\/paths\/~1number\//);
});

it('prints what a phone folds', async () => {
  const { page } = await open(390, 'long');
  await page.evaluate("dispatchEvent(new Event('beforeprint'))");
  expect(await page.locator('.fold:not([open])').count()).toBe(0);
  await page.evaluate("dispatchEvent(new Event('afterprint'))");
  expect(await page.locator('.fold[open]').count()).toBe(0);
});

it.each([
  ['light', 1280],
  ['light', 390],
  ['dark', 1280],
  ['dark', 390],
] as const)('has what axe asks for in %s colors at %i pixels', async (colorScheme, width) => {
  const { page } = await open(width, '', { colorScheme, bypassCSP: true });
  await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
  expect(await axeFindings(page)).toEqual([]);
});
