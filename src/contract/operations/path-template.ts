/** A key of the Paths Object (OpenAPI 3.1.1 sections 4.8.8.1 and 4.8.8.2). */
export interface PathTemplate {
  /** The path with `{}` for each template expression, as clients send it: percent-encoded where a URI demands it. */
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

/** Characters that no URI has (RFC 3986 section 2) and a `%` that encodes nothing. */
const UNENCODED = /%(?![\da-f]{2})|[^!-~]+/gi;
/** A percent-encoded octet, whose case does not matter, and ASCII that some clients encode and others do not. */
const EQUIVALENT = /%[\da-f]{2}|["<>[\\\]^`{|}]/gi;

function encodeLiteral(text: string): string {
  return normalizePath(text.toWellFormed().replace(UNENCODED, encodeURIComponent));
}

/** One spelling of a path for all that RFC 3986 section 6.2.2.1 and the URL Standard take for the same. */
export function normalizePath(path: string): string {
  return path.replace(EQUIVALENT, (match) =>
    match.length > 1 ? match.toUpperCase() : encodeURIComponent(match),
  );
}
