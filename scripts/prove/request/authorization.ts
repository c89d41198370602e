import { ADVICE } from '../advice';
import type { Document, Operation } from '../document/model';
import { type JsonObject, asObject, asString } from '../json/tree';
import type { CredentialValues, Target } from '../target';
import { type RawRequest, withQuery } from '../wire/message';
import { Untestable } from '../untestable';

/** Adds a credential in the place that its security scheme names (OpenAPI 3.1 section 4.8.27). */
function addCredential(request: RawRequest, scheme: JsonObject, credential: string): RawRequest {
  const add = (name: string, value: string): RawRequest => ({
    ...request,
    headers: [[name, value], ...request.headers],
  });
  if (scheme['type'] !== 'apiKey') {
    const authScheme = asString(scheme['scheme']) || 'Bearer';
    if (authScheme.toLowerCase() === 'basic')
      return add('Authorization', `Basic ${Buffer.from(credential).toString('base64')}`);
    return add(
      'Authorization',
      `${authScheme.toLowerCase() === 'bearer' ? 'Bearer' : authScheme} ${credential}`,
    );
  }
  const name = asString(scheme['name']);
  if (scheme['in'] === 'header') return add(name, credential);
  if (scheme['in'] === 'query')
    return withQuery(request, `${encodeURIComponent(name)}=${encodeURIComponent(credential)}`);
  const cookie = request.headers.find(([key]) => key === 'Cookie')?.[1];
  const others = request.headers.filter(([key]) => key !== 'Cookie');
  const value = `${name}=${credential}`;
  return {
    ...request,
    headers: [...others, ['Cookie', cookie === undefined ? value : `${cookie}; ${value}`]],
  };
}

/** The first security alternative for which the target has all credentials; undefined if there is none. */
export const usableAlternative = (
  security: readonly (readonly string[])[],
  { credentials }: Target,
): readonly string[] | undefined =>
  security.find((alternative) => alternative.every((name) => credentials[name] !== undefined));

/** Whether a request needs credentials, so that a 401 or 403 is about them. */
export const takesCredentials = ({ security }: Operation): boolean =>
  security.length > 0 && security.every((alternative) => alternative.length > 0);

/**
 * Adds the credentials of one security alternative to a request.
 *
 * @param credentialOf selects the credential of a scheme; undefined sends none
 * @throws {Untestable} if the target has no credentials for a scheme
 */
export function authorize(
  { schemes }: Document,
  { credentials }: Target,
  alternative: readonly string[],
  request: RawRequest,
  credentialOf: (values: CredentialValues, scheme: string) => string | undefined = ({ valid }) => valid,
): RawRequest {
  return alternative.reduce((authorized, name) => {
    const values = credentials[name];
    if (!values) throw new Untestable(ADVICE.addTargetCredentials(name));
    const credential = credentialOf(values, name);
    return credential === undefined
      ? authorized
      : addCredential(authorized, asObject(schemes[name]), credential);
  }, request);
}
