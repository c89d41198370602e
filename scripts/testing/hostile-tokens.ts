/** JWTs (RFC 7519) that no verifier may accept, although their signature is right. */
import { part } from './issuer';

/** Values that are invalid for most claims and header parameters. */
const WRONG = [null, 0, {}, [], true, [null], [''], ['x', 1]];
const now = Math.floor(Date.now() / 1000);
const CLAIM_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  iss: [...WRONG, '', 'https://evil.example.com', ['https://issuer.example.com']],
  sub: [...WRONG, '', ['alice']],
  aud: [...WRONG, '', 'another', ['another'], ['this-service', 0], { 'this-service': true }],
  exp: [null, {}, [], true, '', String(now + 600), 0, now - 60, -1],
  nbf: [null, {}, [], true, '', 'x', now + 60],
  iat: [null, {}, [], true, '', 'x'],
  jti: [...WRONG, ''],
  scope: [null, 0, {}, [], true, ['read'], [null]],
  scp: [null, 0, {}, true, [null], ['read', 1]],
};
const HEADER_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  alg: [...WRONG, '', 'none', 'None', 'HS512', 'ES512', 'RS256', 'A128KW', 'dir', 'es256', 'hs256'],
  kid: [...WRONG, ''],
  typ: [
    ...WRONG,
    '',
    'logout+jwt',
    'dpop+jwt',
    'secevent+jwt',
    'id+jwt',
    'at+jwt2',
    'x/at+jwt',
    'application/',
    'JOSE',
  ],
  cty: [...WRONG, ''],
  crit: [...WRONG, '', ['exp'], ['b64'], ['x']],
  b64: [false, 'x', null],
  jku: [...WRONG, ''],
  jwk: [null, 0, [], true, ''],
  x5u: [...WRONG, ''],
  x5c: [...WRONG, ''],
  x5t: [...WRONG, ''],
  'x5t#S256': [...WRONG, ''],
};

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Other texts that lenient readers decode to the same bytes (RFC 4648 sections 3.1 to 3.5). */
const otherwise = (text: string): string[] =>
  [
    ...Array.from(ALPHABET, (last) => text.slice(0, -1) + last).filter(
      (other) => other !== text && Buffer.from(other, 'base64url').equals(Buffer.from(text, 'base64url')),
    ),
    ...['=', '==', '%3D'].map((end) => text + end),
    ...[' ', '\t', '=', '!'].map((inside) => `${text.slice(0, 4)}${inside}${text.slice(4)}`),
    text.replace(/-/g, '+').replace(/_/g, '/'),
  ].filter((other) => other !== text);

/** A text of base64url with unused bits at its end. */
function withUnusedBits(value: object): string {
  for (let more = ''; ; more += 'x') {
    const text = part({ ...value, more });
    if (text.length % 4 !== 0) return text;
  }
}
/** What signs tokens. */
export interface Signer {
  /** Claims and header of a good token. */
  readonly claims: object;
  readonly header: object;
  /** Signs the parts of a token as they are. */
  readonly signed: (header: string, claims: string) => string;
}

/** Tokens that another program could read differently, with a right signature. */
function ambiguous({ claims: good, header: usual, signed }: Signer): readonly [string, string][] {
  const claims = JSON.stringify(good);
  const header = JSON.stringify(usual);
  const [head = '', body = '', signature = ''] = signed(part(usual), part(good)).split('.');
  return [
    ...otherwise(signature).map((text): [string, string] => [
      `with the signature ${text}`,
      `${head}.${body}.${text}`,
    ]),
    ...otherwise(withUnusedBits(good)).map((text): [string, string] => [
      `with the claims ${text}`,
      signed(head, text),
    ]),
    ...otherwise(withUnusedBits(usual)).map((text): [string, string] => [
      `with the header ${text}`,
      signed(text, body),
    ]),
    ['with a byte order mark before its claims', signed(head, part(`\ufeff${claims}`))],
    ['with a byte order mark before its header', signed(part(`\ufeff${header}`), body)],
    ['with a claim twice', signed(head, part(`${claims.slice(0, -1)},"sub":"bob"}`))],
    ['with a claim twice, once escaped', signed(head, part(`${claims.slice(0, -1)},"s\\u0075b":"bob"}`))],
    ['with a claim twice inside another', signed(head, part(`${claims.slice(0, -1)},"x":{"a":1,"a":2}}`))],
    ['with a parameter of its header twice', signed(part(`${header.slice(0, -1)},"alg":"ES256"}`), body)],
    [
      'with claims that are not UTF-8',
      signed(head, Buffer.from(`${claims.slice(0, -1)},"x":"\xff"}`, 'latin1').toString('base64url')),
    ],
    ['with half of a surrogate pair', signed(head, part(`${claims.slice(0, -1)},"x":"\\ud800"}`))],
    ['with claims that are no object', signed(head, part('[]'))],
    ['with text after its claims', signed(head, part(`${claims} x`))],
  ];
}

/**
 * Tokens with a right signature, each with what is wrong with it. Every claim of `claims` is required.
 *
 * @param alg further algorithms that the verifier does not accept
 */
export function badTokens(signer: Signer, ...alg: readonly string[]): readonly [string, string][] {
  const { claims, header, signed } = signer;
  const token = (payload: object, head = header) => signed(part(head), part(payload));
  const own = Object.keys(claims);
  const rows = (values: typeof CLAIM_VALUES, names: readonly string[]) =>
    names.flatMap((name) => (values[name] ?? []).map((value) => [name, value] as const));
  const optional = Object.keys(CLAIM_VALUES).filter((name) => !['iss', 'aud'].includes(name));
  return [
    ...ambiguous(signer),
    ['without a signature', token(claims).replace(/[^.]*$/, '')],
    ['without claims', token({})],
    ['not a JWT', 'a.b.c'],
    ['an unknown token', 'abc'],
    ['unsigned', `${part({ alg: 'none' })}.${part(claims)}.`],
    ...own.map((claim): [string, string] => [
      `without ${claim}`,
      token(Object.fromEntries(Object.entries(claims).filter(([name]) => name !== claim))),
    ]),
    ...rows(CLAIM_VALUES, [...new Set([...own, ...optional])]).map(([name, value]): [string, string] => [
      `with the claim ${name} ${JSON.stringify(value)}`,
      token({ ...claims, [name]: value }),
    ]),
    ...[...rows(HEADER_VALUES, Object.keys(HEADER_VALUES)), ...alg.map((one) => ['alg', one] as const)].map(
      ([name, value]): [string, string] => [
        `with the header ${name} ${JSON.stringify(value)}`,
        token(claims, { ...header, crit: name === 'b64' ? ['b64'] : undefined, [name]: value }),
      ],
    ),
  ];
}
