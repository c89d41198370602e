import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import request from 'supertest';
import { parse } from 'yaml';
import published from '../../generated/openapi.json';
import { OpenApiDocument, PLAIN_ERRORS } from 'contract-first-server/tools';
import { strategiesFor } from 'contract-first-server';
import { createApp } from 'contract-first-server/runtime';
import { useBrowser } from '../../scripts/testing/browser';
import { EXAMPLE, SUCCESS } from '../../scripts/testing/client';
import { listening } from '../../scripts/testing/listening';
import { buildApp, TOKEN } from '../../scripts/testing/plant-service';
import { RUNTIME, withRefusals } from '../../scripts/testing/service';
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
      const status = (await answered).status();
      // Until the page shows it, the page may not have read the response, and a cookie for the request is still there.
      await operation
        .locator('.live-responses-table .response-col_status')
        .filter({ hasText: String(status) })
        .first()
        .waitFor();
      return status;
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

/** Starts an issuer that grants codes to pages of any origin (RFC 6749 section 4.1, RFC 7636). Each endpoint has its own origin. */
async function startLogins() {
  const asked: Record<string, string>[] = [];
  const urls: string[] = [];
  const answers = [
    () => ({
      issuer: urls[0],
      authorization_endpoint: `${urls[1]}/login?a=b`,
      token_endpoint: `${urls[2]}/token`,
    }),
    () => ({}),
    () => ({ access_token: TOKEN, token_type: 'Bearer' }),
  ];
  for (const answer of answers) {
    const server = createServer((received, response) => {
      const { searchParams, pathname } = new URL(received.url ?? '', 'http://localhost');
      const headers = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' };
      const end = async () => {
        const form = new URLSearchParams(await text(received));
        if (form.size > 0) asked.push(Object.fromEntries(form));
        if (pathname !== '/login') {
          response.writeHead(200, { ...headers, 'Content-Type': 'application/json' });
          response.end(JSON.stringify(answer()));
          return;
        }
        asked.push(Object.fromEntries(searchParams));
        const back = new URLSearchParams({ code: 'c', state: searchParams.get('state') ?? '' });
        response.writeHead(302, { Location: `${searchParams.get('redirect_uri')}?${back.toString()}` }).end();
      };
      void end();
    });
    const { port, close } = await openServer(server);
    opened.push(close);
    urls.push(`http://127.0.0.1:${port}`);
  }
  const [issuer = '', , tokens = ''] = urls;
  const discoveryUrl = `${issuer}/.well-known/openid-configuration`;
  return {
    asked,
    login: { discoveryUrl, audience: 'https://shop.example', tokenUrl: () => new URL(tokens) },
  };
}

it('logs in by OpenID Connect, and keeps the login for the tab', async () => {
  const { asked, login } = await startLogins();
  const openIdConnectUrl = 'https://replaced.example/.well-known/openid-configuration';
  const root = {
    openapi: '3.1.0',
    info: { title: 'Logins', version: '1.0.0' },
    paths: {
      '/me': {
        get: {
          operationId: 'me',
          security: [{ login: ['read'] }],
          responses: { 204: { description: 'welcome' } },
        },
      },
    },
    components: { securitySchemes: { login: { type: 'openIdConnect', openIdConnectUrl } } },
  };
  const app = createApp(
    { handlers: { me: () => Promise.resolve({ status: 204 }) }, errors: PLAIN_ERRORS },
    {
      ...RUNTIME,
      document: withRefusals(root),
      strategies: strategiesFor(
        new OpenApiDocument(root),
        (given, { scopes }) => given === TOKEN && { scopes },
      ),
      logins: new Map([['login', login]]),
    },
  );
  await listening(app, async (port) => {
    const { page, complaints } = await open(`http://127.0.0.1:${port}`);
    // The issuer answers when the dialog is open.
    const dialog = page.locator('.close-modal');
    await page.route(login.discoveryUrl, async (route) => {
      await dialog.waitFor();
      await route.continue();
    });
    await page.reload();
    await page.locator('.scheme-container').getByRole('button', { name: 'Authorize' }).click();
    const form = page.locator('.auth-container');
    await form.locator('[data-name=clientId]').fill('docs');
    expect(await form.count()).toBe(1);
    await form.locator('label[for^="read-"]').first().click();
    await form.getByRole('button', { name: /^Apply/ }).click();
    await form.getByText('Logout').waitFor();
    const [{ code_challenge: challenge, ...code } = {}, { code_verifier: verifier = '', ...token } = {}] =
      asked;
    const resource = { audience: login.audience, resource: login.audience };
    expect(code).toMatchObject({
      a: 'b',
      client_id: 'docs',
      scope: 'read',
      code_challenge_method: 'S256',
      ...resource,
    });
    expect(hash('sha256', verifier, 'base64url')).toBe(challenge);
    expect(token).toMatchObject({
      grant_type: 'authorization_code',
      code: 'c',
      client_id: 'docs',
      ...resource,
    });
    await page.unroute(login.discoveryUrl);
    await page.reload();
    await page.locator('.auth-wrapper .authorize.locked').waitFor();
    await page.locator('[id="operations-default-me"] .opblock-summary-control').click();
    const answered = page.waitForResponse((response) => response.url().endsWith('/me'));
    await page.getByRole('button', { name: 'Execute' }).click();
    expect((await answered).status()).toBe(204);
    expect(complaints.filter((text) => !text.startsWith('http://127.0.0.1'))).toEqual([]);
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
