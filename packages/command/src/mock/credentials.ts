import { type OpenApiDocument } from 'contract-first-server/tools';
import { type SchemeKind, securitySchemes, type Strategies, strategiesFor } from 'contract-first-server';

/**
 * The verifiers of every scheme of a document. A token passes as bearer token, as API key, and as the password of `user`. In
 * the header Authorization an API key may follow a word (RFC 9110 section 11.4): the document cannot say which.
 * Every client holds all scopes that the document demands of its scheme.
 */
export const acceptTokens = (document: OpenApiDocument, tokens: readonly string[]): Strategies =>
  strategiesFor(document, (secret, { kind, scopes, value: { in: place, name } }) => {
    const isAuthorization = kind === 'apiKey' && place === 'header' && /^authorization$/i.test(String(name));
    const given = isAuthorization ? secret.replace(/^[^ ]+ +/, '') : secret;
    return tokens.some((token) => secretOf(kind, token) === given) && { scopes };
  });

/** A token as the credentials of a scheme. */
const secretOf = (kind: SchemeKind | undefined, token: string): string =>
  kind === 'basic' ? `user:${token}` : token;

/**
 * Credentials that pass and others that do not, by the name of each scheme that can be served: the CREDENTIALS file of
 * `make contract`, in one line.
 */
export function credentialsFile(document: OpenApiDocument, tokens: readonly string[]): string {
  const [token = ''] = tokens;
  // Longer than any token, so it is none of them.
  const other = `${[...tokens].sort((a, b) => b.length - a.length)[0] ?? ''}-invalid`;
  const schemes = securitySchemes(document).flatMap(({ name, kind }) =>
    kind ? [[name, { valid: secretOf(kind, token), invalid: secretOf(kind, other) }] as const] : [],
  );
  return JSON.stringify(Object.fromEntries(schemes));
}
