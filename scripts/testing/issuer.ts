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

export const part = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** A JWT that the issuer has signed, or another key, of a header and claims as they are sent. */
export function signed(header: string, claims: string, key: KeyObject = privateKey): string {
  const text = `${header}.${claims}`;
  const signature = createSign('SHA256').update(text).sign({ key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

/** A JWT that the issuer has signed, or another key. */
export const jwt = (claims: object = CLAIMS, header: object = HEADER, key?: KeyObject): string =>
  signed(part(header), part(claims), key);

export const forged = jwt(CLAIMS, HEADER, stranger.privateKey);
/** A JWT that is signed by the key in its own header. */
export const selfSigned = jwt(
  CLAIMS,
  { ...HEADER, jwk: { ...stranger.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' } },
  stranger.privateKey,
);

const KEY = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' };
export const JWKS = JSON.stringify({ keys: [KEY] });

const jwk = (key: KeyObject) => key.export({ format: 'jwk' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
/** Keys that can verify no token, by what is wrong with them. Each is its own `kid`. */
export const BAD_KEYS: Readonly<Record<string, unknown>> = {
  'an RSA key of 1024 bits': jwk(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey),
  'a private RSA key': jwk(rsa.privateKey),
  'a private EC key': jwk(stranger.privateKey),
  'a shared secret': { kty: 'oct', k: Buffer.alloc(32, 1).toString('base64url'), alg: 'HS256' },
  'a key for encryption': { ...jwk(rsa.publicKey), use: 'enc' },
  'a key with another use': { ...jwk(rsa.publicKey), use: 1 },
  'a key that signs': { ...jwk(rsa.publicKey), key_ops: ['sign'] },
  'a key without operations': { ...jwk(rsa.publicKey), key_ops: [] },
  'a key of an algorithm of secrets': { ...jwk(rsa.publicKey), alg: 'HS256' },
  'a key of the algorithm of another type': { ...jwk(rsa.publicKey), alg: 'ES256' },
  'a key of an unknown type': { kty: 'XYZ', x: 'AAAA' },
  'a key without a type': { n: 'AAAA' },
  'a key without its modulus': { kty: 'RSA', e: 'AQAB' },
  'an empty modulus': { kty: 'RSA', e: 'AQAB', n: '' },
  'a point that is not on its curve': { ...jwk(publicKey), y: jwk(publicKey).x },
  'an unknown curve': { ...jwk(publicKey), crv: 'P-999' },
  'a curve without an accepted algorithm': jwk(
    generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey,
  ),
  'a key of an agreement': jwk(generateKeyPairSync('x25519').publicKey),
  'a certificate alone': { x5c: ['AAAA'] },
};
/** A key set with the key of the issuer, with each of the others, and with values that are no keys. */
export const MIXED_JWKS = JSON.stringify({
  keys: [
    null,
    'key',
    [],
    ...Object.entries(BAD_KEYS).map(([kid, key]) => ({ ...(key as object), kid })),
    KEY,
  ],
});

/** The path of the configuration of an issuer (OpenID Connect Discovery 1.0 section 4). */
export const CONFIGURATION = '/.well-known/openid-configuration';

/**
 * A server that publishes the keys of the issuer, and its configuration by its URL. `answer` and `configuration` can be
 * replaced; `asked` counts the requests for keys, and `discovered` those for the configuration.
 */
export async function startIssuer() {
  const issuer = {
    answer: (response: ServerResponse): unknown => response.end(JWKS),
    asked: 0,
    configuration: {} as object,
    discovered: 0,
    /** Its name, if it is found by its configuration. */
    url: '',
    /** What names it without and with its configuration. */
    env: {} as Record<string, string>,
    discovery: {} as Record<string, string>,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  const server = createServer(({ url }, response) => {
    if (url?.startsWith(CONFIGURATION) === true) {
      issuer.discovered++;
      response.end(JSON.stringify(issuer.configuration));
      return;
    }
    issuer.asked++;
    issuer.answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  issuer.configuration = { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` };
  issuer.env = {
    AUTH_JWKS_URL: `${issuer.url}/keys`,
    AUTH_ISSUER: CLAIMS.iss,
    AUTH_AUDIENCE: CLAIMS.aud,
  };
  issuer.discovery = { AUTH_DISCOVERY_URL: `${issuer.url}${CONFIGURATION}`, AUTH_AUDIENCE: CLAIMS.aud };
  return issuer;
}
