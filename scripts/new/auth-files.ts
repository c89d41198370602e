/** Writes src/auth.ts, and what the configuration of a service says about credentials. */
import {
  joinPointer,
  type OpenApiDocument,
  type Operation,
  schemeKind,
  type SchemeKind,
} from '../../src/contract';
import { propertyName, quoted } from './error-body';
import { wordsOf } from './names';

/** A security scheme that operations demand. */
export interface Scheme {
  readonly name: string;
  readonly kind: SchemeKind;
  /** The environment variable with the accepted secrets. */
  readonly secrets: string;
  /** The beginning of the variables of an issuer of JWTs, for bearer tokens. */
  readonly issuer: string | undefined;
}

const KINDS = {
  bearer: { verifier: 'bearerTokens', ending: 'TOKENS', what: 'bearer tokens' },
  basic: { verifier: 'basicUsers', ending: 'USERS', what: 'users with their passwords, as name:password' },
  apiKey: { verifier: 'apiKeys', ending: 'KEYS', what: 'API keys' },
} as const;

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
    const isOnly = kinds.filter((one) => one.kind === kind).length === 1;
    const base = isOnly ? 'API' : wordsOf(name).join('_').toUpperCase() || 'API';
    let secrets = `${base}_${KINDS[kind].ending}`;
    for (let n = 2; taken.has(secrets); n++) secrets = `${base}_${n}_${KINDS[kind].ending}`;
    taken.add(secrets);
    const issuer = isOnly ? 'AUTH' : secrets.replace(/_TOKENS$/, '');
    return { name, kind, secrets, issuer: kind === 'bearer' ? issuer : undefined };
  });
}

export function authFile(schemes: readonly Scheme[]): string {
  const imported = [...new Set(schemes.map(({ kind }) => KINDS[kind].verifier))].sort();
  const entries = schemes.map(({ name, kind, secrets, issuer }) => {
    const variables = `{ secrets: '${secrets}'${issuer === undefined ? '' : `, issuer: '${issuer}'`} }`;
    return `  ${propertyName(name)}: ${KINDS[kind].verifier}(${variables}),\n`;
  });
  return `import type { security } from '../generated/openapi';
import { ${[...imported, 'type PrincipalsOf', 'type VerifiersFor'].join(', ')} } from 'contract-first-server/runtime';

/** The verifier of each security scheme of the document, with the environment variables that configure it. */
export const verifiers = {
${entries.join('')}} satisfies VerifiersFor<security>;

/** The client of a request, by security scheme of the document. A handler receives it as \`principal\`. */
export type Principals = PrincipalsOf<typeof verifiers>;
`;
}

/** The lines of .env.example about credentials. */
export function environmentLines(schemes: readonly Scheme[]): string {
  if (schemes.length === 0) return '';
  const blocks = schemes.map(({ name, kind, secrets, issuer }) => {
    const scopes =
      kind === 'basic' ? '' : ', each with its scopes after a colon if it has any: one,another:read write';
    return `# ${quoted(name)}: ${KINDS[kind].what}, separated by commas${scopes}
${secrets}=
# Or a file with one on each line. The server reads it again when it changes.
${secrets}_FILE=
${
  issuer === undefined
    ? ''
    : `# JWTs beside them or instead of them: the URL of the issuer's public keys (https, or http on this machine), and the
# required \`iss\` and \`aud\`. Set all three or none. The scopes are those of \`scope\` (or \`scp\`).
${['JWKS_URL', 'ISSUER', 'AUDIENCE'].map((end) => `${issuer}_${end}=\n`).join('')}`
}`;
  });
  return `# Credentials, by security scheme of the document. Without any the server generates a secret when it starts; with
# NODE_ENV=production it does not start.
${blocks.join('')}`;
}
