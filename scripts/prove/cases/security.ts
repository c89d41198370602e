import type { Operation } from '../document/model';
import { asString } from '../json/tree';
import { securityKey, type SecurityScenario } from '../obligation';
import { isRedundant } from '../obligations';
import { authorize, usableAlternative } from '../request/authorization';
import { composeRequest } from '../request/minimal';
import type { RuleName } from '../profile';
import { type RawRequest, withHeader, withQuery } from '../wire/message';
import { type Case, type Expectation, expectRefusal, expectSuccess, type OperationContext } from './case';

/** One security alternative of an operation, with a request that satisfies it and one without credentials. */
interface Alternative {
  readonly schemes: readonly string[];
  readonly anonymous: RawRequest;
  readonly authorized: RawRequest;
  readonly send: (
    scenario: SecurityScenario,
    title: string,
    request: RawRequest,
    expect: Expectation,
    rule?: RuleName,
  ) => Case;
}

/** The rule that an answer breaks, by the kind of credentials. */
export const RULE_OF: Readonly<Record<SecurityScenario, RuleName>> = {
  accepted: 'accepted credentials',
  missing: 'missing credentials',
  wrong: 'wrong credentials',
  malformed: 'malformed credentials',
  doubled: 'doubled credentials',
  misplaced: 'misplaced credentials',
  'insufficient scope': 'insufficient scope',
};

const UNAUTHENTICATED = expectRefusal('missing credentials', 'invalid credentials');
/** RFC 6750 section 3.1: a request that repeats its token is an `invalid_request`, which is 400. */
const DOUBLED = expectRefusal('invalid request');

/** Valid, wrong, malformed and missing credentials, for each security alternative of the operation. */
export function securityCases(context: OperationContext): Case[] {
  const { document, target, operation, base } = context;
  const anonymous = composeRequest(operation, base);
  const allowsAnonymous = operation.security.some((schemes) => schemes.length === 0);
  return operation.security.flatMap((schemes, index) => {
    if (!usableAlternative([schemes], target)) return [];
    const authorized = authorize(document, target, schemes, anonymous);
    const send: Alternative['send'] = (scenario, title, request, expect, rule = RULE_OF[scenario]) => ({
      family: 'security',
      title: `${schemes.join(' and ') || 'anonymous'}: ${title}`,
      operation,
      request,
      expect,
      rule,
      credentials: credentialsLabel(operation, schemes, scenario),
      proves: [securityKey(operation, schemes, scenario)],
    });
    const alternative: Alternative = { schemes, anonymous, authorized, send };
    const valid = send('accepted', 'valid credentials', authorized, expectSuccess);
    if (allowsAnonymous) return [valid];
    return [
      valid,
      send('missing', 'no credentials', anonymous, expectRefusal('missing credentials')),
      ...scopeCases(context, alternative, operation.scopes[index] ?? {}),
      ...schemes
        .filter((scheme) => !isRedundant(document, target, operation, schemes, scheme))
        .flatMap((scheme) => schemeCases(context, alternative, scheme)),
      ...headerCases(context, alternative),
    ];
  });
}

/** The label of the credentials in the report. It names the alternative if there are several. */
function credentialsLabel(
  { security }: Operation,
  schemes: readonly string[],
  scenario: SecurityScenario,
): string {
  const kind = scenario === 'accepted' ? 'valid' : scenario;
  return security.length > 1 ? `${schemes.join(' and ') || 'anonymous'}: ${kind}` : kind;
}

/** Valid credentials that lack a required scope. */
function scopeCases(
  { document, target }: OperationContext,
  { schemes, anonymous, send }: Alternative,
  required: Readonly<Record<string, readonly string[]>>,
): Case[] {
  return Object.entries(required).flatMap(([scheme, scopes]) => {
    if (scopes.length === 0) return [];
    const credentials = new Set(target.credentials[scheme]?.insufficient?.(scopes));
    return [...credentials].map((credential) => {
      const request = authorize(document, target, schemes, anonymous, ({ valid }, name) =>
        name === scheme ? credential : valid,
      );
      const title = `${credential} for ${scheme}, which lacks some of the scopes ${scopes.join(', ')}`;
      return send('insufficient scope', title, request, expectRefusal('insufficient scope'));
    });
  });
}

/** A wrong credential for one scheme, or none, with valid ones for the others. */
function schemeCases(
  { document, target }: OperationContext,
  { schemes, anonymous, send }: Alternative,
  scheme: string,
): Case[] {
  const wrong = authorize(document, target, schemes, anonymous, ({ valid, invalid }, name) =>
    name === scheme ? invalid : valid,
  );
  const without = authorize(document, target, schemes, anonymous, ({ valid }, name) =>
    name === scheme ? undefined : valid,
  );
  const title = `a wrong credential for ${scheme}`;
  const refusal = expectRefusal('invalid credentials');
  const cases = [
    send('wrong', title, wrong, refusal),
    ...nearMisses(document, target, scheme).map(([kind, credential]) => {
      const request = authorize(document, target, schemes, anonymous, ({ valid }, name) =>
        name === scheme ? credential : valid,
      );
      return send('wrong', `${kind} of the credential for ${scheme}`, request, UNAUTHENTICATED);
    }),
  ];
  if (schemes.length > 1) cases.push(send('missing', `all but ${scheme}`, without, UNAUTHENTICATED));
  if (anonymous.body) {
    // The server must not read the body of a sender that it has not authenticated.
    const malformed = { ...wrong, body: Buffer.from('{') };
    const rule = 'refusal before the body';
    cases.push(
      send('wrong', `${title}, the body withheld`, { ...wrong, sending: 'withheld' }, refusal, rule),
    );
    cases.push(send('wrong', `${title}, a malformed body`, malformed, refusal, rule));
  }
  return cases;
}

/** Tokens that differ a little from the valid one. Tokens are case-sensitive (RFC 6749 section 1.9). */
function nearMisses(
  { schemes }: OperationContext['document'],
  { credentials }: OperationContext['target'],
  scheme: string,
): [kind: string, credential: string][] {
  const { type, scheme: authScheme } = schemes[scheme] ?? {};
  const isToken =
    type === 'oauth2' || type === 'openIdConnect' || asString(authScheme).toLowerCase() === 'bearer';
  const valid = credentials[scheme]?.valid ?? '';
  if (!isToken) return [];
  const swapped = valid.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  const half = valid.slice(0, Math.ceil(valid.length / 2));
  const all: [string, string][] = [
    ['the other letter case', swapped],
    ['the first half', half],
  ];
  return all.filter(([, credential]) => credential !== valid && credential !== '');
}

/**
 * The syntax and the place of credentials in the Authorization header (RFC 9110 section 11.6.2, RFC 6750 section 2).
 */
function headerCases(
  { document, target, operation }: OperationContext,
  { schemes, anonymous, authorized, send }: Alternative,
): Case[] {
  const scheme = schemes.find((name) => document.schemes[name]?.['type'] !== 'apiKey');
  const value = authorized.headers.find(([name]) => name === 'Authorization')?.[1];
  if (
    scheme === undefined ||
    value === undefined ||
    isRedundant(document, target, operation, schemes, scheme)
  )
    return [];
  const [authScheme = '', ...rest] = value.split(' ');
  const credential = rest.join(' ');
  const wrong = target.credentials[scheme]?.invalid ?? '';
  const withValue = (text: string): RawRequest => withHeader(authorized, 'Authorization', text);
  const withSecond = (text: string): RawRequest => ({
    ...authorized,
    headers: [...authorized.headers, ['Authorization', text]],
  });
  const malformed = [
    '',
    authScheme,
    `${authScheme} `,
    `${authScheme}${credential}`,
    credential,
    `x${value}`,
    `${value} ${credential}`,
    `${value},`,
  ];
  const misplaced = `access_token=${encodeURIComponent(credential)}`;
  const unauthorized = withHeader(authorized, 'Authorization', undefined);
  const inQuery = withHeader(
    { ...authorized, target: withQuery(anonymous, misplaced).target },
    'Authorization',
    undefined,
  );
  const inCookie = withHeader(unauthorized, 'Cookie', `access_token=${credential}`);
  const inForm = {
    ...withHeader(unauthorized, 'Content-Type', 'application/x-www-form-urlencoded'),
    body: Buffer.from(misplaced),
  };
  return [
    send(
      'accepted',
      'the scheme in upper case',
      withValue(`${authScheme.toUpperCase()} ${credential}`),
      expectSuccess,
    ),
    send(
      'accepted',
      'the scheme in lower case',
      withValue(`${authScheme.toLowerCase()} ${credential}`),
      expectSuccess,
    ),
    ...malformed.map((text) => send('malformed', `Authorization: ${text}`, withValue(text), UNAUTHENTICATED)),
    send('malformed', 'another scheme', withValue(`Digest ${credential}`), UNAUTHENTICATED),
    send(
      'doubled',
      'two Authorization headers, the second wrong',
      withSecond(`${authScheme} ${wrong}`),
      DOUBLED,
    ),
    send('doubled', 'the same header twice', withSecond(value), DOUBLED),
    send('misplaced', 'the credential in the query', inQuery, UNAUTHENTICATED),
    send('misplaced', 'the credential in a cookie', inCookie, UNAUTHENTICATED),
    ...(operation.body ? [send('misplaced', 'the credential in a form', inForm, UNAUTHENTICATED)] : []),
  ];
}
