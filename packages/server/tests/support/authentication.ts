import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { InvalidContract, Problem } from 'contract-first-server';
import { OpenApiDocument, readOperations } from 'contract-first-server/tools';
import { compileSecurity, type Strategies, unverified } from '../../src/contract/security/requirements';
import { buildDocument } from '../../../../scripts/testing/service';

/** The result of an authentication: the principals, the kind and challenge of a refusal, or the error for the log. */
export type Authentication =
  | { readonly principals: Readonly<Record<string, unknown>> }
  | { readonly refused: string; readonly challenge: string | undefined; readonly message: string }
  | { readonly error: unknown };

/** The security schemes of `buildAuthentication`: one of each supported kind. */
export const SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  oauth: {
    type: 'oauth2',
    flows: {
      implicit: { authorizationUrl: 'https://x.example', scopes: { read: '', write: '' } },
      clientCredentials: { tokenUrl: 'https://x.example', scopes: { admin: '' } },
    },
  },
  openId: { type: 'openIdConnect', openIdConnectUrl: 'https://x.example' },
};

/** Well-formed credentials for each scheme. */
export const CREDENTIALS: Readonly<Record<keyof typeof SCHEMES, readonly [string, string]>> = {
  bearer: ['Authorization', 'Bearer token'],
  basic: ['Authorization', `Basic ${Buffer.from('user:password').toString('base64')}`],
  key: ['X-Key', 'key'],
  oauth: ['Authorization', 'Bearer token'],
  openId: ['Authorization', 'Bearer token'],
};

/** Authenticates a request with these headers to an operation with this security requirement. */
export function buildAuthentication(
  security: readonly object[],
  strategies: Strategies,
  securitySchemes: object = SCHEMES,
) {
  const document = new OpenApiDocument(
    buildDocument({ operation: { security }, components: { securitySchemes } }),
  );
  const [operation] = readOperations(document);
  if (!operation) throw new Error('expected an operation');
  const findings = [...document.findings, ...unverified(document, operation, strategies)];
  if (findings.length > 0) throw new InvalidContract(findings);
  const { authenticate } = compileSecurity(document, operation, strategies);
  return async (...headers: readonly (readonly [string, string])[]): Promise<Authentication> => {
    const request = new IncomingMessage(new Socket());
    request.rawHeaders = headers.flat();
    request.headers = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
    request.headersDistinct = Object.fromEntries(
      headers.map(([name, value]) => [name.toLowerCase(), [value]]),
    );
    try {
      return { principals: await authenticate(request) };
    } catch (error) {
      if (!(error instanceof Problem)) return { error };
      return {
        refused: String(error.kind),
        challenge: error.headers['WWW-Authenticate'],
        message: error.message,
      };
    }
  };
}
