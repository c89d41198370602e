/** The security schemes of a service, and the variables that configure them. */
import { joinPointer, type OpenApiDocument } from 'contract-first-server/tools';
import { type Operation, schemeKind, type SchemeKind } from 'contract-first-server';
import { wordsOf } from './names';

/** A security scheme that operations demand. */
export interface Scheme {
  readonly name: string;
  /** The function of the package that verifies its credentials. */
  readonly verifier: string;
  /** Its secrets, for people. */
  readonly what: string;
  /** The environment variable with the accepted secrets. */
  readonly secrets: string;
  /** The beginning of the variables of an issuer of JWTs, for bearer tokens. */
  readonly issuer: string | undefined;
  /** A secret to try the service with. */
  readonly trial: string;
}

const SCOPES = ', each optionally with a colon and its scopes: one,another:read write';
const KINDS: Readonly<
  Record<SchemeKind, readonly [verifier: string, ending: string, what: string, trial: string]>
> = {
  bearer: ['bearerTokens', 'TOKENS', `bearer tokens, separated by commas${SCOPES}`, 'secret'],
  basic: [
    'basicUsers',
    'USERS',
    'users with their passwords, as name:password, separated by commas',
    'user:secret',
  ],
  apiKey: ['apiKeys', 'KEYS', `API keys, separated by commas${SCOPES}`, 'secret'],
};

export function schemesOf(document: OpenApiDocument, operations: Iterable<Operation>): Scheme[] {
  const names = new Set(
    [...operations].flatMap(({ security }) => security.flat().map(({ scheme }) => scheme)),
  );
  const kinds = [...names].flatMap((name) => {
    const kind = schemeKind(document.follow(joinPointer('/components/securitySchemes', name)).value);
    return kind ? [{ name, kind }] : [];
  });
  const taken = new Set<string>();
  return kinds.map(({ name, kind }): Scheme => {
    const [verifier, ending, what, trial] = KINDS[kind];
    const isOnly = kinds.filter((one) => one.kind === kind).length === 1;
    const base = isOnly ? 'API' : wordsOf(name).join('_').toUpperCase() || 'API';
    let secrets = `${base}_${ending}`;
    for (let n = 2; taken.has(secrets); n++) secrets = `${base}_${n}_${ending}`;
    taken.add(secrets);
    const issuer = isOnly ? 'AUTH' : secrets.replace(/_TOKENS$/, '');
    return { name, verifier, what, secrets, trial, issuer: kind === 'bearer' ? issuer : undefined };
  });
}
