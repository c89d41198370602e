import { createServer } from 'node:http';
import request from 'supertest';
import { parse } from 'yaml';
import published from '../../generated/openapi.json';
import { OpenApiDocument, PLAIN_ERRORS } from 'contract-first-server/tools';
import { strategiesFor } from 'contract-first-server';
import { createApp } from 'contract-first-server/runtime';
import { useBrowser } from '../../scripts/testing/browser';
import { EXAMPLE, SUCCESS } from '../../scripts/testing/client';
import { buildApp, listening, RUNTIME, TOKEN, withRefusals } from '../../scripts/testing/service';
import { openServer } from 'contract-first-prover/service';

/** The fragment of the URL that opens the operation. */
const OPERATION = `[id^="operations-"][id$="-${EXAMPLE.operationId}"] .opblock-summary-control`;

const openPage = useBrowser();
const open = (url: string) => openPage(url, '/-/docs');

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

const SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
};

const opened: (() => Promise<void>)[] = [];
afterEach(() => Promise.all(opened.splice(0).map((close) => close())));

/** Starts a server that issues a token by client credentials (RFC 6749 section 4.4) to pages of any origin. Returns its URL. */
async function startTokens() {
  const headers = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' };
  const server = createServer((asked, response) => {
    response.writeHead(200, { ...headers, 'Content-Type': 'application/json' });
    response.end(
      asked.method === 'POST' ? JSON.stringify({ access_token: TOKEN, token_type: 'Bearer' }) : '',
    );
  });
  const { port, close } = await openServer(server);
  opened.push(close);
  return `http://127.0.0.1:${port}/token`;
}

it('authorizes by every kind of security scheme', async () => {
  const tokenUrl = await startTokens();
  const oauth = { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: { read: 'to read' } } } };
  const schemes = { ...SCHEMES, oauth };
  const names = Object.keys(schemes);
  const root = {
    openapi: '3.1.0',
    info: { title: 'Schemes', version: '1.0.0' },
    paths: Object.fromEntries(
      names.map((name) => {
        const security = [{ [name]: name === 'oauth' ? ['read'] : [] }];
        const responses = { 204: { description: 'welcome' } };
        return [`/${name}`, { get: { operationId: name, security, responses } }];
      }),
    ),
    components: { securitySchemes: schemes },
  };
  const handlers = Object.fromEntries(names.map((name) => [name, () => Promise.resolve({ status: 204 })]));
  const secret = (scheme: string) => (scheme === 'basic' ? `ann:${TOKEN}` : TOKEN);
  const strategies = strategiesFor(
    new OpenApiDocument(root),
    (given, { name, scopes }) => given === secret(name) && { scopes },
  );
  const app = createApp(
    { handlers, errors: PLAIN_ERRORS },
    { ...RUNTIME, document: withRefusals(root), strategies },
  );
  await listening(app, async (port) => {
    const { page, complaints } = await open(`http://127.0.0.1:${port}`);
    const statusOf = async (name: string) => {
      const operation = page.locator(`[id="operations-default-${name}"]`);
      if (!(await operation.getAttribute('class'))?.includes('is-open'))
        await operation.locator('.opblock-summary-control').click();
      const answered = page.waitForResponse((response) => response.url().includes(`/${name}`));
      await operation.getByRole('button', { name: 'Execute' }).click();
      return (await answered).status();
    };
    for (const name of names) {
      // Chromium reports the status after the response.
      const reported = page.waitForEvent('console', (message) => message.type() === 'error');
      expect([name, await statusOf(name)]).toEqual([name, 401]);
      await reported;
    }
    const refusals = names.map(() => expect.stringContaining('status of 401') as string);
    expect(complaints.splice(0)).toEqual(refusals);
    await page.locator('.scheme-container').getByRole('button', { name: 'Authorize' }).click();
    for (const name of names) {
      const form = page.locator('.auth-container').nth(names.indexOf(name));
      if (name === 'basic') await form.locator('[name=username]').fill('ann');
      if (name === 'oauth') await form.locator('[data-name=clientId]').fill('docs');
      else await form.locator('input').last().fill(TOKEN);
      await form.getByRole('button', { name: /^Apply/ }).click();
      await form.getByText('Logout').waitFor();
    }
    await page.locator('.close-modal').click();
    for (const name of names) expect([name, await statusOf(name)]).toEqual([name, 204]);
    expect(complaints.filter((text) => !text.startsWith(tokenUrl))).toEqual([]);
    expect(await page.context().cookies()).toEqual([]);
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
