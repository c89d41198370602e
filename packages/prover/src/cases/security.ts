import type { Operation } from '../document/model';
import { asString } from '../json/tree';
import { nameOfAlternative, ruleKey, type SecurityScenario } from '../obligation';
import { isRedundant } from '../obligations';
import { authorize, usableAlternative, composeRequest, followsWord, presentedAs } from '../request/compose';
import type { RuleName } from '../profile';
import { header, type RawRequest, withHeader, withQuery } from '../wire/message';
import { type Case, type Expectation, expectRefusal, expectSuccess, type OperationContext } from './case';

type Alternative = ReturnType<typeof alternativeOf>;

const UNAUTHENTICATED = expectRefusal('missing credentials', 'invalid credentials');
/** RFC 6750 section 3.1: a request that repeats its token is an `invalid_request`, which is 400. */
const DOUBLED = expectRefusal('invalid request');

/** One security alternative of an operation, with a request that satisfies it and one without credentials. */
function alternativeOf({ document, target, operation, base }: OperationContext, schemes: readonly string[]) {
  const presented = (name: string): string => presentedAs(document, target, name);
  const anonymous = composeRequest(operation, base);
  const label = nameOfAlternative(schemes);
  const allowsAnonymous = operation.security.some((alternative) => alternative.length === 0);
  return {
    schemes,
    allowsAnonymous,
    anonymous,
    authorized: authorize(document, target, schemes, anonymous),
    /** The request with this credential for one scheme and those that share it, or none, and valid ones for the others. */
    replaced: (scheme: string, credential: string | undefined): RawRequest =>
      authorize(document, target, schemes, anonymous, ({ valid }, name) =>
        presented(name) === presented(scheme) ? credential : valid,
      ),
    /** Whether the others satisfy the operation without this scheme. */
    isRedundant: (scheme: string) => isRedundant(document, target, operation, schemes, scheme),
    send: (
      scenario: SecurityScenario,
      title: string,
      request: RawRequest,
      expect: Expectation,
      rule: RuleName = ruleOf(scenario, allowsAnonymous),
    ): Case => ({
      family: 'security',
      title: `${label}: ${title}`,
      operation,
      request,
      expect,
      rule,
      credentials: credentialsLabel(operation, label, scenario),
      proves: [ruleKey(operation, 'security', label, scenario)],
    }),
  };
}

/** Valid, wrong, malformed and missing credentials, for each security alternative of the operation. */
export function securityCases(context: OperationContext): Case[] {
  const { target, operation } = context;
  return operation.security.flatMap((schemes, index) => {
    if (!usableAlternative([schemes], target)) return [];
    const alternative = alternativeOf(context, schemes);
    const { allowsAnonymous, anonymous, authorized, send } = alternative;
    return [
      send('accepted', 'valid credentials', authorized, expectSuccess),
      ...(allowsAnonymous
        ? []
        : [send('missing', 'no credentials', anonymous, expectRefusal('missing credentials'))]),
      ...scopeCases(context, alternative, operation.scopes[index] ?? {}),
      ...schemes
        .filter((scheme) => !alternative.isRedundant(scheme))
        .flatMap((scheme) => schemeCases(context, alternative, scheme)),
      ...headerCases(context, alternative),
    ];
  });
}

/** The rule that an answer breaks, by the kind of credentials. */
function ruleOf(scenario: SecurityScenario, allowsAnonymous: boolean): RuleName {
  if (allowsAnonymous && scenario !== 'accepted') return 'refused credentials';
  return scenario === 'insufficient scope' ? scenario : `${scenario} credentials`;
}

/** The label of the credentials in the report. It names the alternative if there are several. */
function credentialsLabel({ security }: Operation, label: string, scenario: SecurityScenario): string {
  const kind = scenario === 'accepted' ? 'valid' : scenario;
  return security.length > 1 ? `${label}: ${kind}` : kind;
}

/** Valid credentials that lack a required scope. */
function scopeCases(
  { target }: OperationContext,
  { replaced, send }: Alternative,
  required: Readonly<Record<string, readonly string[]>>,
): Case[] {
  const refusal = expectRefusal('insufficient scope');
  return Object.entries(required).flatMap(([scheme, scopes]) => {
    const credentials = scopes.length > 0 ? target.credentials[scheme]?.insufficient?.(scopes) : [];
    return [...new Set(credentials)].map((credential) => {
      const title = `${credential} for ${scheme}, which lacks some of the scopes ${scopes.join(', ')}`;
      return send('insufficient scope', title, replaced(scheme, credential), refusal);
    });
  });
}

/** A wrong credential for one scheme, or none, with valid ones for the others. */
function schemeCases(
  { document, target }: OperationContext,
  { schemes, allowsAnonymous, anonymous, replaced, send }: Alternative,
  scheme: string,
): Case[] {
  const wrong = replaced(scheme, target.credentials[scheme]?.invalid);
  const title = `a wrong credential for ${scheme}`;
  const refusal = expectRefusal('invalid credentials');
  const early = 'refusal before the body';
  return [
    send('wrong', title, wrong, refusal),
    ...nearMisses(document, target, scheme).map(([kind, credential]) => {
      const sent = replaced(scheme, credential);
      return send('wrong', `${kind} of the credential for ${scheme}`, sent, UNAUTHENTICATED);
    }),
    ...(schemes.length > 1 && !allowsAnonymous
      ? [send('missing', `all but ${scheme}`, replaced(scheme, undefined), UNAUTHENTICATED)]
      : []),
    // The server must not read the body of a sender that it has not authenticated.
    ...(anonymous.body
      ? [
          send('wrong', `${title}, the body withheld`, { ...wrong, sending: 'withheld' }, refusal, early),
          send('wrong', `${title}, a malformed body`, { ...wrong, body: Buffer.from('{') }, refusal, early),
        ]
      : []),
  ];
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
  return Object.entries({ 'the other letter case': swapped, 'the first half': half }).filter(
    ([, credential]) => credential !== valid && credential !== '',
  );
}

/**
 * The syntax and the place of credentials in the Authorization header (RFC 9110 section 11.6.2, RFC 6750 section 2).
 */
function headerCases(
  { document, target, operation }: OperationContext,
  { schemes, allowsAnonymous, anonymous, authorized, isRedundant, send }: Alternative,
): Case[] {
  const scheme = schemes.find((name) => followsWord(document, target, name));
  const value = header(authorized, 'authorization');
  if (scheme === undefined || value === undefined || isRedundant(scheme)) return [];
  const [authScheme = '', ...rest] = value.split(' ');
  const credential = rest.join(' ');
  const isApiKey = document.schemes[scheme]?.['type'] === 'apiKey';
  const invalid = target.credentials[scheme]?.invalid ?? '';
  const wrong = isApiKey ? invalid : `${authScheme} ${invalid}`;
  const withValue = (text: string | undefined, to = authorized): RawRequest =>
    withHeader(to, 'Authorization', text);
  const twice = (text: string): RawRequest => ({
    ...authorized,
    headers: [...authorized.headers, ['Authorization', text]],
  });
  const malformed = [
    ...['', authScheme, `${authScheme} `, `${authScheme}${credential}`, credential],
    ...[`x${value}`, `${value} ${credential}`, `${value},`],
  ];
  const misplaced = `access_token=${encodeURIComponent(credential)}`;
  const unauthorized = withValue(undefined);
  const elsewhere: Readonly<Record<string, RawRequest>> = {
    'the query': withValue(undefined, { ...authorized, target: withQuery(anonymous, misplaced).target }),
    'a cookie': withHeader(unauthorized, 'Cookie', `access_token=${credential}`),
    ...(operation.body && {
      'a form': {
        ...withHeader(unauthorized, 'Content-Type', 'application/x-www-form-urlencoded'),
        body: Buffer.from(misplaced),
      },
    }),
  };
  // Of the word before an API key nobody says that its case is ignored.
  const cases = isApiKey ? {} : { upper: authScheme.toUpperCase(), lower: authScheme.toLowerCase() };
  return [
    ...Object.entries(cases).map(([letters, text]) => {
      const sent = withValue(`${text} ${credential}`);
      return send('accepted', `the scheme in ${letters} case`, sent, expectSuccess);
    }),
    ...malformed.map((text) => send('malformed', `Authorization: ${text}`, withValue(text), UNAUTHENTICATED)),
    send('malformed', 'another scheme', withValue(`Digest ${credential}`), UNAUTHENTICATED),
    send('doubled', 'two Authorization headers, the second wrong', twice(wrong), DOUBLED),
    send('doubled', 'the same header twice', twice(value), DOUBLED),
    ...Object.entries(allowsAnonymous ? {} : elsewhere).map(([place, sent]) =>
      send('misplaced', `the credential in ${place}`, sent, UNAUTHENTICATED),
    ),
  ];
}
