/** Finds what must not be stored as it was sent. */
import { type OpenApiDocument, viewSchemas } from 'contract-first-server/tools';
import { oncePer } from '../../memo';
import { wordsOf } from '../names';

/** The last words of a name: `client_secret`, `accessToken`, `apiKey`. */
const SECRET =
  /^(.* )?(password|passwd|passphrase|passcode|secret|token|credentials?|(api|private|access|secret) key|apikey)$/;

const once = oncePer<string | undefined>();

/** The first property of these schemas, at any depth, that may hold a secret; undefined if no property does. */
export function secretIn(
  document: OpenApiDocument,
  schemas: readonly string[],
  depth = 0,
): string | undefined {
  if (depth > 4 || schemas.length === 0) return undefined;
  return once(document, `${depth} ${schemas.join(' ')}`, () => secretFor(document, schemas, depth));
}

function secretFor(document: OpenApiDocument, schemas: readonly string[], depth: number): string | undefined {
  // A view for responses withholds what is `writeOnly`.
  const { properties, withheld, items } = viewSchemas(document, [...schemas], 'response');
  // What is `readOnly` is never sent to the service.
  const { withheld: made } = viewSchemas(document, [...schemas], 'request');
  for (const [name, own] of properties) {
    if (made.has(name)) continue;
    const secret = withheld.has(name) ? name : secretOf(document, name, own, depth);
    if (secret !== undefined) return secret;
  }
  return secretIn(document, items, depth + 1);
}

/** The name of a property, or of one in it, that may hold a secret. */
export function secretOf(
  document: OpenApiDocument,
  name: string,
  schemas: readonly string[],
  depth = 0,
): string | undefined {
  const { types, formats } = viewSchemas(document, [...schemas], 'response');
  const isNamed = SECRET.test(wordsOf(name).join(' ')) || formats.has('password');
  return types.has('string') && isNamed ? name : secretIn(document, schemas, depth + 1);
}
