import type { Operation } from '../document/document';
import { INSUFFICIENT_SCOPE, isRedundant, securityKey } from '../obligations';
import { authorize } from '../request/credentials';
import { composeRequest } from '../request/request';
import type { RawRequest } from '../wire/message';
import { expectSuccess, type Case, type OperationContext, expectRefusal, withHeader } from './case';

/** Who gets in and who does not: each alternative of the operation's security, whole, broken and missing. */
export function securityCases(context: OperationContext): Case[] {
  const { document, target, operation, base } = context;
  const bare = composeRequest(operation, base);
  const open = operation.security.some((alternative) => alternative.length === 0);
  return operation.security.flatMap((alternative, index) => {
    const whole = authorize(document, target, alternative, bare);
    const made = (scenario: string, title: string, request: RawRequest, expect: Case['expect']): Case => ({
      family: 'security',
      title: `${alternative.join(' and ') || 'anonymous'}: ${title}`,
      operation,
      request,
      expect,
      credentials: label(operation, alternative, scenario),
      proves: [securityKey(operation, alternative, scenario)],
    });
    const cases = [made('accepted', 'with what it asks for', whole, expectSuccess)];
    if (open) return cases;
    cases.push(made('missing', 'nothing at all', bare, expectRefusal('no credentials')));
    for (const [scheme, scopes] of Object.entries(operation.scopes[index] ?? {})) {
      for (const secret of scopes.length > 0
        ? new Set(target.credentials[scheme]?.insufficient?.(scopes))
        : []) {
        const narrow = authorize(document, target, alternative, bare, ({ valid }, name) =>
          name === scheme ? secret : valid,
        );
        const title = `${secret} for ${scheme}, which does not hold all of ${scopes.join(', ')}`;
        cases.push(made(INSUFFICIENT_SCOPE, title, narrow, expectRefusal('insufficient scope')));
      }
    }
    for (const scheme of alternative.filter((name) => !isRedundant(operation, alternative, name))) {
      const broken = authorize(document, target, alternative, bare, ({ valid, invalid }, name) =>
        name === scheme ? invalid : valid,
      );
      const without = authorize(document, target, alternative, bare, ({ valid }, name) =>
        name === scheme ? undefined : valid,
      );
      cases.push(made('wrong', `a wrong secret for ${scheme}`, broken, expectRefusal('bad credentials')));
      if (alternative.length > 1) {
        cases.push(
          made('missing', `all but ${scheme}`, without, expectRefusal('no credentials', 'bad credentials')),
        );
      }
      if (bare.body) {
        // The answer may not wait for a body that the sender has no right to have read.
        const withheld: RawRequest = { ...broken, sending: 'withheld' };
        cases.push(
          made(
            'wrong',
            `a wrong secret for ${scheme}, the body withheld`,
            withheld,
            expectRefusal('bad credentials'),
          ),
        );
        const garbage: RawRequest = { ...broken, body: Buffer.from('{') };
        cases.push(
          made(
            'wrong',
            `a wrong secret for ${scheme}, a malformed body`,
            garbage,
            expectRefusal('bad credentials'),
          ),
        );
      }
    }
    return [...cases, ...headerCases(context, alternative, bare, whole, made)];
  });
}

/** What the matrix calls the credentials; the alternative is named where there are several. */
function label({ security }: Operation, alternative: readonly string[], scenario: string): string {
  const kind = scenario === 'accepted' ? 'good' : scenario;
  return security.length > 1 ? `${alternative.join(' and ') || 'anonymous'}: ${kind}` : kind;
}

/** What stands in the Authorization header (RFC 9110 section 11.6.2, RFC 6750 section 2.1). */
function headerCases(
  { document, target, operation }: OperationContext,
  alternative: readonly string[],
  bare: RawRequest,
  whole: RawRequest,
  made: (scenario: string, title: string, request: RawRequest, expect: Case['expect']) => Case,
): Case[] {
  const scheme = alternative.find((name) => document.schemes[name]?.['type'] !== 'apiKey');
  const value = whole.headers.find(([name]) => name === 'Authorization')?.[1];
  if (scheme === undefined || value === undefined || isRedundant(operation, alternative, scheme)) return [];
  const [word = '', ...rest] = value.split(' ');
  const secret = rest.join(' ');
  const set = (text: string): RawRequest => withHeader(whole, 'Authorization', text);
  const turnedAway = expectRefusal('no credentials', 'bad credentials');
  const wrong = target.credentials[scheme]?.invalid ?? '';
  const joint = bare.target.includes('?') ? '&' : '?';
  const both = { ...whole, headers: [...whole.headers, ['Authorization', `${word} ${wrong}`] as const] };
  const inQuery = withHeader(
    { ...whole, target: `${bare.target}${joint}access_token=${encodeURIComponent(secret)}` },
    'Authorization',
    undefined,
  );
  const malformed = [
    '',
    word,
    `${word} `,
    `${word}${secret}`,
    secret,
    `x${value}`,
    `${value} ${secret}`,
    `${value},`,
  ];
  return [
    made('accepted', 'its scheme in capitals', set(`${word.toUpperCase()} ${secret}`), expectSuccess),
    made('accepted', 'its scheme in small letters', set(`${word.toLowerCase()} ${secret}`), expectSuccess),
    ...malformed.map((text) => made('malformed', `Authorization: ${text}`, set(text), turnedAway)),
    made('malformed', 'another scheme', set(`Digest ${secret}`), turnedAway),
    made('doubled', 'two Authorization headers, the second wrong', both, turnedAway),
    made(
      'doubled',
      'the same header twice',
      { ...whole, headers: [...whole.headers, ['Authorization', value]] },
      turnedAway,
    ),
    made('misplaced', 'the secret in the query', inQuery, turnedAway),
    made(
      'misplaced',
      'the secret in a cookie',
      withHeader(withHeader(whole, 'Authorization', undefined), 'Cookie', `access_token=${secret}`),
      turnedAway,
    ),
    ...(operation.body ? [made('misplaced', 'the secret in a form', inForm(whole, secret), turnedAway)] : []),
  ];
}

/** RFC 6750 section 2.2, with a media type that the operation need not know. */
function inForm(whole: RawRequest, secret: string): RawRequest {
  const bare = withHeader(
    withHeader(whole, 'Authorization', undefined),
    'Content-Type',
    'application/x-www-form-urlencoded',
  );
  return { ...bare, body: Buffer.from(`access_token=${encodeURIComponent(secret)}`) };
}
