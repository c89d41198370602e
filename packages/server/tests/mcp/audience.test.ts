import { bearerTokens, readCredentials, Variables } from 'contract-first-server/runtime';
import { OpenApiDocument, openCredentials } from 'contract-first-server/tools';
import { CLAIMS, jwt, startIssuer } from '../../../../scripts/testing/issuer';
import { call, documentOf, PATHS, serving } from './museum';

const issuersOpen: { close: () => void }[] = [];
afterEach(() => {
  for (const { close } of issuersOpen.splice(0)) close();
});

const URL = 'https://museum.example/mcp';

test.each(['env', 'discovery'] as const)(
  'a token for MCP_URL is accepted at /mcp and nowhere else; the metadata name its issuer (%s)',
  async (named) => {
    const issuer = await startIssuer();
    issuersOpen.push(issuer);
    const environment = { ...issuer[named], API_TOKENS: 'a-fixed-token-of-the-museum' };
    const document = documentOf(PATHS);
    const verifier = bearerTokens({ secrets: 'API_TOKENS', issuer: 'AUTH' });
    const config = readCredentials({ token: verifier }, new Variables(environment));
    const { strategies, issuers, ready } = openCredentials(config, new OpenApiDocument(document), {});
    await ready;
    const name = named === 'env' ? CLAIMS.iss : issuer.url;
    expect(issuers()).toEqual([name]);
    const options = {
      strategies: { token: strategies.token, session: strategies.token, key: strategies.token },
    };
    await serving({ url: URL, issuers, options }, async ({ ask, url }) => {
      const tokenFor = (aud: unknown) => ({
        Authorization: `Bearer ${jwt({ ...CLAIMS, iss: name, aud, scope: 'write' })}`,
      });
      const toolStatus = async (aud: unknown) =>
        (await ask(call('add', { body: { title: 'Dawn' } }), tokenFor(aud))).status;
      const plainStatus = async (aud: unknown) => {
        const headers = { ...tokenFor(aud), 'Content-Type': 'application/json' };
        return (await fetch(`${url}/paintings`, { method: 'POST', headers, body: '{"title":"Dawn"}' }))
          .status;
      };
      expect([await toolStatus(URL), await plainStatus(URL)]).toEqual([200, 401]);
      expect([await toolStatus(CLAIMS.aud), await plainStatus(CLAIMS.aud)]).toEqual([200, 201]);
      expect([await toolStatus('another'), await plainStatus('another')]).toEqual([401, 401]);
      const metadata = await fetch(`${url}/.well-known/oauth-protected-resource/mcp`);
      expect(await metadata.json()).toMatchObject({ resource: URL, authorization_servers: [name] });
    });
  },
);
