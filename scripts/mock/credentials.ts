import {
  joinPointer,
  type JsonObject,
  members,
  type OpenApiDocument,
  schemeKind,
  type Strategies,
  strategiesFor,
} from '../../src/contract';

/**
 * The verifiers of every scheme of a document. A token passes as bearer token, as API key, and as the password of `user`.
 * Every client holds all scopes that the document demands of its scheme.
 */
export const acceptTokens = (document: OpenApiDocument, tokens: readonly string[]): Strategies =>
  strategiesFor(
    document,
    (secret, { value, scopes }) => tokens.some((token) => secretOf(value, token) === secret) && { scopes },
  );

/** A token as the credentials of a scheme. */
const secretOf = (scheme: JsonObject, token: string): string =>
  schemeKind(scheme) === 'basic' ? `user:${token}` : token;

/**
 * Credentials that pass and others that do not, by the name of each scheme that can be served: the CREDENTIALS file of
 * `make contract`, in one line.
 */
export function credentialsFile(document: OpenApiDocument, tokens: readonly string[]): string {
  const [token = ''] = tokens;
  // Longer than any token, so it is none of them.
  const other = `${[...tokens].sort((a, b) => b.length - a.length)[0] ?? ''}-invalid`;
  const schemes = members(document.at('/components/securitySchemes')).flatMap(([name]) => {
    const { value } = document.follow(joinPointer('/components/securitySchemes', name));
    const pair = { valid: secretOf(value, token), invalid: secretOf(value, other) };
    return schemeKind(value) === undefined ? [] : [[name, pair] as const];
  });
  return JSON.stringify(Object.fromEntries(schemes));
}
