import { credentialOf, type OpenApiDocument, openCredentials } from 'contract-first-server/tools';
import { securitySchemes } from 'contract-first-server';
import { readCredentials, Variables, type Verifier, type Verifiers } from 'contract-first-server/runtime';
import type { CredentialValues } from '../target';

/** Secrets for each verifier of a service, as environment variables and as credentials of the prover. */
export function testSecrets(verifiers: Verifiers, document: OpenApiDocument) {
  const all = [...new Set(securitySchemes(document).flatMap(({ scopes }) => scopes))];
  const configured = Object.entries(verifiers).filter(
    (entry): entry is [string, Verifier] => 'secrets' in entry[1],
  );
  const kinds = new Map(configured.map(([, { secrets, kind }]) => [secrets, kind]));
  return {
    environment: Object.fromEntries(
      [...kinds].map(([variable, kind]) => [variable, secretsOf(variable, kind, all).join(',')]),
    ),
    credentials: Object.fromEntries(
      configured.map(([scheme, verifier]) => [scheme, credentialsOf(verifier, all)]),
    ),
  };
}

const isUser = (kind: Verifier['kind']): boolean => kind === 'basic';
const secretOf = (variable: string, name: string, kind: Verifier['kind']): string =>
  `${isUser(kind) ? 'user:' : ''}${name}-of-${variable}`;
const narrow = (variable: string, missing: string): string =>
  `without-${Buffer.from(missing).toString('hex')}-of-${variable}`;

function secretsOf(variable: string, kind: Verifier['kind'], scopes: readonly string[]): string[] {
  const valid = secretOf(variable, 'secret', kind);
  if (isUser(kind) || scopes.length === 0) return [valid];
  const lacking = scopes.map((missing) => {
    const held = scopes.filter((scope) => scope !== missing);
    return `${narrow(variable, missing)}${held.length > 0 ? `:${held.join(' ')}` : ''}`;
  });
  return [`${valid}:${scopes.join(' ')}`, `none-of-${variable}`, ...lacking];
}

function credentialsOf(verifier: Verifier, scopes: readonly string[]): CredentialValues {
  const { secrets: variable, kind } = verifier;
  const valid = credentialOf(verifier, secretOf(variable, 'secret', kind));
  const invalid = credentialOf(verifier, secretOf(variable, 'another', kind));
  if (isUser(kind) || scopes.length === 0) return { valid, invalid };
  const insufficient = (demanded: readonly string[]) =>
    [`none-of-${variable}`, ...demanded.map((missing) => narrow(variable, missing))].map((secret) =>
      credentialOf(verifier, secret),
    );
  return { valid, invalid, insufficient };
}

/** The strategies of verifiers with the secrets in these variables. */
export const strategiesWith = <Dependencies, V extends Verifiers<Dependencies>>(
  verifiers: V,
  environment: Readonly<Record<string, string>>,
  document: OpenApiDocument,
  dependencies: Dependencies,
) =>
  openCredentials(readCredentials(verifiers, new Variables(environment)), document, dependencies).strategies;
