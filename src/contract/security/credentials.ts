import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../document/document';
import { countLines } from '../http/header-field';

/**
 * What a strategy is shown of a request: the credentials of its own scheme, once they have the scheme's form. It cannot
 * look for them anywhere else, as passport-http-bearer would in the body and the query.
 */
export interface Credentials {
  readonly headers: { readonly authorization?: string };
  /** The API key, where the scheme is one. */
  readonly apiKey?: string;
}

/** `malformed`: something else stands in the place of credentials. */
export type Found = Credentials | 'malformed' | undefined;
export type FindCredentials = (request: IncomingMessage) => Found;

/** How the credentials of a security scheme are found; undefined if this server cannot serve the scheme. */
export function credentialsFinder(scheme: JsonObject): FindCredentials | undefined {
  const bearer = authorization(/^bearer +[\w.~+/-]+=*$/i, 'bearer');
  if (scheme['type'] === 'oauth2' || scheme['type'] === 'openIdConnect') return bearer;
  if (scheme['type'] === 'http') {
    const name = String(scheme['scheme']).toLowerCase();
    if (name === 'bearer') return bearer; // RFC 6750 section 2.1
    if (name === 'basic') return authorization(/^basic +[A-Za-z\d+/]+=*$/i, 'basic'); // RFC 7617
  }
  if (scheme['type'] === 'apiKey') return apiKey(String(scheme['in']), String(scheme['name']));
  return undefined;
}

function authorization(form: RegExp, scheme: string): FindCredentials {
  return (request) => {
    const field = request.headers.authorization;
    if (field === undefined || field.split(' ', 1)[0]?.toLowerCase() !== scheme) return undefined;
    if (countLines(request, 'authorization') !== 1 || !form.test(field)) return 'malformed';
    return { headers: { authorization: field.replace(/ +/, ' ') } };
  };
}

function apiKey(place: string, name: string): FindCredentials {
  const one = (values: readonly string[]) => {
    const [key] = values;
    if (key === undefined) return undefined;
    return values.length === 1 && key !== '' ? { headers: {}, apiKey: key } : ('malformed' as const);
  };
  if (place === 'header') {
    return ({ headersDistinct }) => one(headersDistinct[name.toLowerCase()] ?? []);
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

/** The values of a name in a query. Of thousands of pairs, only those are decoded whose names may be this one. */
function valuesIn(query: string, name: string): string[] {
  const bytes = Buffer.byteLength(name);
  const candidates = query.split('&').filter((pair) => {
    const end = pair.indexOf('=');
    const encoded = end < 0 ? pair : pair.slice(0, end);
    // An escape stands for a byte by three characters.
    return encoded.length === bytes || encoded.length - 2 * (encoded.split('%').length - 1) === bytes;
  });
  return new URLSearchParams(candidates.join('&')).getAll(name);
}
