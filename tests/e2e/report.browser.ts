import type { Page } from 'playwright-core';
import { run, writeReport } from '../../scripts/prove';
import { useBrowser } from '../support/browser';
import { keepFolder } from '../support/folder';
import { correctServer, target } from '../prove/support/simple-server';

const HOSTILE =
  '</pre><img src="https://example.org/x" onerror="document.title = 1"><script>document.title = 2</script>';

const folder = keepFolder();
const openPage = useBrowser();
beforeAll(async () => {
  const broken = target((request, body) =>
    Number(body) > 1_000_000 ? { status: 200, body: HOSTILE } : correctServer(request, body),
  );
  writeReport(await run(broken, { generated: 5 }), folder);
});
const open = (width: number) =>
  openPage('file:', `//${folder}/index.html`, { viewport: { width, height: 900 } });

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
