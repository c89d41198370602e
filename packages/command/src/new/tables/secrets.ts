/** Finds what must not be stored as it was sent. */
import { type OpenApiDocument, viewSchemas } from 'contract-first-server/tools';
import { wordsOf } from '../names';

/** The last words of a name: `client_secret`, `accessToken`, `apiKey`. */
const SECRET =
  /^(.* )?(password|passwd|passphrase|passcode|secret|token|credentials?|(api|private|access|secret) key|apikey)$/;

/** The first property of these schemas, at any depth, that may hold a secret; undefined if no property does. */
export function secretIn(
  document: OpenApiDocument,
  schemas: readonly string[],
  depth = 0,
): string | undefined {
  if (depth > 4 || schemas.length === 0) return undefined;
  // A view for responses withholds what is `writeOnly`.
  const { properties, withheld, items } = viewSchemas(document, [...schemas], 'response');
  for (const [name, own] of properties) {
    const { types, formats } = viewSchemas(document, own, 'response');
    const isText = types.has('string');
    if (withheld.has(name) || (isText && (SECRET.test(wordsOf(name).join(' ')) || formats.has('password'))))
      return name;
    const inner = secretIn(document, own, depth + 1);
    if (inner !== undefined) return inner;
  }
  return secretIn(document, items, depth + 1);
}
