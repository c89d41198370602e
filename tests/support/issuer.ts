import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** The default claims of a JWT. */
export const HEADER = { alg: 'ES256', kid: 'one' };
export const CLAIMS = {
  iss: 'https://issuer.example.com',
  aud: 'this-service',
  sub: 'alice',
  exp: Math.floor(Date.now() / 1000) + 600,
};

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JWT that the issuer has signed, or another key. */
export function jwt(claims: object = CLAIMS, header: object = HEADER, key: KeyObject = privateKey): string {
  const signed = `${part(header)}.${part(claims)}`;
  const signature = createSign('SHA256').update(signed).sign({ key, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

export const forged = jwt(CLAIMS, HEADER, stranger.privateKey);
/** A JWT that is signed by the key in its own header. */
export const selfSigned = jwt(
  CLAIMS,
  { ...HEADER, jwk: { ...stranger.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' } },
  stranger.privateKey,
);
export const unsigned = `${part({ alg: 'none' })}.${part(CLAIMS)}.`;

export const JWKS = JSON.stringify({
  keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' }],
});

/** A server that publishes the keys of the issuer. `answer` can be replaced; `asked` counts the requests. */
export async function startIssuer() {
  const issuer = {
    answer: (response: ServerResponse): unknown => response.end(JWKS),
    asked: 0,
    env: {} as Record<string, string>,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  const server = createServer((_, response) => {
    issuer.asked++;
    issuer.answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer.env = {
    AUTH_JWKS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    AUTH_ISSUER: CLAIMS.iss,
    AUTH_AUDIENCE: CLAIMS.aud,
  };
  return issuer;
}
