import type { IncomingMessage } from 'node:http';
import { type JsonObject, members, type OpenApiDocument } from '../document/document';
import { fieldLines } from '../http/header-field';
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

/**
 * `malformed`: the credentials are not in the form of their scheme. `otherKind`: the field has those of another scheme, or of
 * none. Undefined: there are none.
 */
export type Found = Credentials | 'malformed' | 'otherKind' | undefined;
export type FindCredentials = (request: IncomingMessage) => Found;

/** Creates the function that finds the credentials of a security scheme; undefined if the scheme cannot be served. */
export function credentialsFinder(scheme: JsonObject): FindCredentials | undefined {
  switch (schemeKind(scheme)) {
    case 'bearer': // RFC 6750 section 2.1
      return authorization(/^bearer +[\w.~+/-]+=*$/i, 'bearer');
    case 'basic': // RFC 7617
      return authorization(/^basic +[A-Za-z\d+/]+=*$/i, 'basic');
    case 'apiKey':
      return apiKey(String(scheme['in']), String(scheme['name']));
    case undefined:
      return undefined;
  }
}

function authorization(form: RegExp, scheme: string): FindCredentials {
  return (request) => {
    const field = request.headers.authorization;
    if (field === undefined) return undefined;
    if (!form.test(field))
      return field.split(' ', 1)[0]?.toLowerCase() === scheme ? 'malformed' : 'otherKind';
    return { headers: { authorization: field.includes('  ') ? field.replace(/ +/, ' ') : field } };
  };
}

function apiKey(place: string, name: string): FindCredentials {
  const one = (values: readonly string[]) => {
    const [key] = values;
    if (key === undefined) return undefined;
    return values.length === 1 && key !== '' ? { headers: {}, apiKey: key } : ('malformed' as const);
  };
  if (place === 'header') {
    return (request) => one(fieldLines(request, name.toLowerCase()));
  }
  if (place === 'query') {
    return ({ url = '' }) => one(valuesIn(url.slice(url.indexOf('?') + 1 || url.length), name));
  }
  return ({ headers: { cookie = '' } }) => {
    const pairs = cookie.split(';').map((pair) => pair.trim());
    return one(
      pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1)),
    );
  };
}

/** The values of a name in a query. Decodes only the pairs whose names have a matching length. */
function valuesIn(query: string, name: string): string[] {
  const bytes = Buffer.byteLength(name);
  const candidates = query.split('&').filter((pair) => {
    const end = pair.indexOf('=');
    const encoded = end < 0 ? pair : pair.slice(0, end);
    // A percent-encoded byte has three characters.
    return encoded.length === bytes || encoded.length - 2 * (encoded.split('%').length - 1) === bytes;
  });
  return new URLSearchParams(candidates.join('&')).getAll(name);
}
