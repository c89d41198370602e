/** The holder of accepted credentials. */
export interface Client {
  /**
   * For a token or an API key: the first 8 hexadecimal digits of its SHA-256 digest, which identify a client in the log and
   * do not reveal the secret. For a user: its name. For a JWT: its subject.
   */
  readonly id: string;
  /** The scopes of a token, an API key or a JWT. A user has none. */
  readonly scopes: readonly string[];
}

/** The id of the authenticated client; undefined for an anonymous request. */
export function clientOf(principals: Readonly<Record<string, unknown>>): string | undefined {
  const named = Object.values(principals).find(
    (principal): principal is Client =>
      typeof principal === 'object' &&
      principal !== null &&
      'id' in principal &&
      typeof principal.id === 'string',
  );
  return named?.id;
}
