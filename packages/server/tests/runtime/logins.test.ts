import express from 'express';
import request from 'supertest';
import { OpenApiDocument } from 'contract-first-server/tools';
import { docsRouter } from '../../src/runtime/page/docs';
import { buildDocument } from '../../../../scripts/testing/service';

// The page itself logs in in docs.browser.ts.

const login = {
  type: 'openIdConnect',
  openIdConnectUrl: 'https://a.example/.well-known/openid-configuration',
};
const documentWith = (scheme: object) =>
  new OpenApiDocument(
    buildDocument({
      operation: { security: [{ login: [] }] },
      components: { securitySchemes: { login: scheme } },
    }),
  );

/** The origins that the policy of the page lets it ask, beside its own. */
async function originsOf(router: express.Router): Promise<string[]> {
  const { headers } = await request(express().use('/-/', router)).get('/-/docs').expect(200);
  const [, origins = ''] = /connect-src 'self'([^;]*);/.exec(headers['content-security-policy'] ?? '') ?? [];
  return origins.split(' ').filter((origin) => origin !== '');
}

it.each([
  [login, ['https://a.example']],
  [{ type: 'http', scheme: 'bearer' }, []],
])('a page without an issuer of its server may ask what the document names: %j', async (scheme, origins) => {
  expect(await originsOf(docsRouter(documentWith(scheme)))).toEqual(origins);
});

it('a page may ask the issuer of its server, and where that issues tokens as soon as it is known', async () => {
  let tokenUrl: URL | undefined;
  const discoveryUrl = 'https://b.example/.well-known/openid-configuration';
  const logins = new Map([['login', { discoveryUrl, audience: 'me', tokenUrl: () => tokenUrl }]]);
  const router = docsRouter(documentWith(login), logins);
  expect(await originsOf(router)).toEqual(['https://b.example']);
  tokenUrl = new URL('https://c.example/token');
  expect(await originsOf(router)).toEqual(['https://b.example', 'https://c.example']);
  tokenUrl = new URL('https://d,d.example/token');
  expect(await originsOf(router)).toEqual(['https://b.example']);
});
