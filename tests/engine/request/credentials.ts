import type { Document } from '../document/document';
import { type JsonObject, asObject, asString } from '../json/json';
import type { CredentialValues, Target } from '../target';
import type { RawRequest } from '../wire/message';

/** Adds a secret to a request where its scheme wants it (OpenAPI 3.1 section 4.8.27). */
function addCredential(request: RawRequest, scheme: JsonObject, secret: string): RawRequest {
  const add = (name: string, value: string): RawRequest => ({
    ...request,
    headers: [[name, value], ...request.headers],
  });
  if (scheme['type'] !== 'apiKey') {
    const basic = asString(scheme['scheme']).toLowerCase() === 'basic';
    return add(
      'Authorization',
      basic ? `Basic ${Buffer.from(secret).toString('base64')}` : `Bearer ${secret}`,
    );
  }
  const name = asString(scheme['name']);
  if (scheme['in'] === 'header') return add(name, secret);
  if (scheme['in'] === 'query') {
    const joint = request.target.includes('?') ? '&' : '?';
    return { ...request, target: `${request.target}${joint}${name}=${encodeURIComponent(secret)}` };
  }
  const cookie = request.headers.find(([key]) => key === 'Cookie')?.[1];
  const others = request.headers.filter(([key]) => key !== 'Cookie');
  const value = `${name}=${secret}`;
  return {
    ...request,
    headers: [...others, ['Cookie', cookie === undefined ? value : `${cookie}; ${value}`]],
  };
}

/**
 * The request with what one alternative of the operation's security asks for.
 *
 * @param secretOf which secret is presented for a scheme; undefined for none
 */
export function authorize(
  { schemes }: Document,
  { credentials }: Target,
  alternative: readonly string[],
  request: RawRequest,
  secretOf: (secrets: CredentialValues, scheme: string) => string | undefined = ({ valid }) => valid,
): RawRequest {
  return alternative.reduce((made, name) => {
    const secrets = credentials[name];
    if (!secrets)
      throw new Error(`expected credentials for the security scheme ${name}, got none; give the target some`);
    const secret = secretOf(secrets, name);
    return secret === undefined ? made : addCredential(made, asObject(schemes[name]), secret);
  }, request);
}
