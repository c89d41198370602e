import { type JsonObject, members, type OpenApiDocument } from '../document/document';
import { schemeAt, schemeKind, type SchemeKind } from '../operations/alternatives';
import { readOperations } from '../operations/operations';

/** A security scheme of a document. */
export interface DocumentedScheme {
  readonly name: string;
  /** JSON pointer to its Security Scheme Object (OpenAPI 3.1 section 4.8.27). */
  readonly pointer: string;
  readonly value: JsonObject;
  /** Undefined if it cannot be served. */
  readonly kind: SchemeKind | undefined;
  /** All scopes that operations demand of it, each once. */
  readonly scopes: readonly string[];
}

/** The security schemes of a document, in its order. */
export function securitySchemes(document: OpenApiDocument): DocumentedScheme[] {
  const demanded = readOperations(document).flatMap(({ security }) => security.flat());
  return members(document.at('/components/securitySchemes')).map(([name]) => {
    const place = schemeAt(document, name);
    const scopes = demanded.flatMap((one) => (one.scheme === name ? one.scopes : []));
    return { name, ...place, kind: schemeKind(place.value), scopes: [...new Set(scopes)] };
  });
}

/**
 * The well-formed credentials of one security scheme. A strategy receives nothing else of the request: passport-http-bearer
 * would accept tokens in the body and the query too.
 */
export interface Credentials {
  /** The Authorization header, if the scheme uses it. */
  readonly headers: { readonly authorization?: string };
  /** The API key, if the type of the scheme is `apiKey`. */
  readonly apiKey?: string;
}
