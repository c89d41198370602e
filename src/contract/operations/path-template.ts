/** A parsed key of the Paths Object (OpenAPI 3.1.1 sections 4.8.8.1 and 4.8.8.2). */
export interface PathTemplate {
  /** The path as clients send it, percent-encoded (RFC 3986), with `{}` for each template expression. */
  readonly shape: string;
  /** The names of its template expressions, in order. */
  readonly names: readonly string[];
}

export function parsePathTemplate(path: string): PathTemplate {
  const parts = path.split(/\{([^{}]*)\}/);
  return {
    shape: parts
      .filter((_, i) => i % 2 === 0)
      .map(encodeLiteral)
      .join('{}'),
    names: parts.filter((_, i) => i % 2 === 1),
  };
}

/** Characters that a URI cannot have (RFC 3986 section 2), and a `%` that begins no percent-encoded octet. */
const UNENCODED = /%(?![\da-f]{2})|[^!-~]+/gi;
/** A percent-encoded octet, in any case, and ASCII that only some clients encode. */
const EQUIVALENT = /%[\da-f]{2}|["<>[\\\]^`{|}]/gi;

function encodeLiteral(text: string): string {
  return normalizePath(text.toWellFormed().replace(UNENCODED, encodeURIComponent));
}

/** Normalizes paths that are equivalent by RFC 3986 section 6.2.2.1 or the URL Standard to one spelling. */
export function normalizePath(path: string): string {
  return path.replace(EQUIVALENT, (match) =>
    match.length > 1 ? match.toUpperCase() : encodeURIComponent(match),
  );
}
