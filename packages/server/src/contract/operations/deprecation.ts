import { instantOf } from '../document/extensions';
import type { JsonObject } from '../document/document';

/** What an operation says of its end. */
export interface Deprecation {
  /** `Deprecation` (RFC 9745) and `Sunset` (RFC 8594), as far as the document has the dates. */
  readonly headers: Readonly<Record<string, string>>;
  /** From then on clients no longer count on the operation: milliseconds since 1970. */
  readonly sunset: number | undefined;
}

/** Reads `deprecated`, `x-deprecated-since` and `x-sunset` of an Operation Object; undefined if it is not deprecated. */
export function deprecationOf(operation: JsonObject): Deprecation | undefined {
  if (operation['deprecated'] !== true) return undefined;
  const [since, sunset] = [instantOf(operation['x-deprecated-since']), instantOf(operation['x-sunset'])];
  return {
    headers: {
      ...(since !== undefined && { Deprecation: `@${Math.floor(since / 1000)}` }),
      ...(sunset !== undefined && { Sunset: new Date(sunset).toUTCString() }),
    },
    sunset,
  };
}
