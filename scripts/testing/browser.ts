import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** The path of Debian's package `chromium`. */
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** A page, with the errors of the browser and its requests to other places. */
interface Opened {
  readonly page: Page;
  readonly complaints: string[];
}

/** A browser for the tests of a file: opens a page below an address. Call it once, at the top. */
export function useBrowser() {
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
  return async (address: string, path: string, options?: BrowserContextOptions): Promise<Opened> => {
    const page = await browser.newPage(options);
    page.setDefaultTimeout(20_000);
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (asked) => {
      if (!asked.url().startsWith(address) && !asked.url().startsWith('data:')) complaints.push(asked.url());
    });
    await page.goto(address + path);
    return { page, complaints };
  };
}
