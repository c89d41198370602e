import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { OpenApiDocument, readDocument, securitySchemes } from '../../src/contract';
import { madeUpSecrets, openSecrets, readCredentials, Variables, type Verifiers } from '../../src/runtime';
import { loadModule } from '../load';
import { PUBLISHED, root } from '../paths';

/** A generated secret, and its environment variable. */
export interface SessionSecret {
  readonly variable: string;
  /** What clients present; undefined: the server alone uses it, to sign tokens. */
  readonly secret: string | undefined;
  /** The value of the variable: the secret with all scopes of the document. */
  readonly value: string;
}

/**
 * Generates a secret for each variable of src/auth.ts and of signed tokens that is not configured. As environment variables
 * they stay valid when the server is replaced, and with them the tokens that it has signed.
 *
 * @throws {Error} if src/auth.ts, src/config.ts or the published contract cannot be read, or do not fit
 */
export function sessionSecrets(): SessionSecret[] {
  const { verifiers = {} } = (loadModule('src/auth.ts') ?? {}) as { readonly verifiers?: Verifiers };
  const document = new OpenApiDocument(readDocument(readFileSync(path.join(root, PUBLISHED), 'utf8')));
  const { generated } = openSecrets(readCredentials(verifiers, new Variables(process.env)), document);
  const scopes = [...new Set(securitySchemes(document).flatMap((scheme) => scheme.scopes))].join(' ');
  const secrets = [...generated].map(([scheme, { variable, secret }]): SessionSecret => {
    const verifier = verifiers[scheme];
    const isUser = verifier !== undefined && 'kind' in verifier && verifier.kind === 'basic';
    return { variable, secret, value: isUser || scopes === '' ? secret : `${secret}:${scopes}` };
  });
  const { readConfig } = (loadModule('src/config.ts') ?? {}) as { readonly readConfig?: () => object };
  for (const variable of madeUpSecrets(readConfig?.() ?? {}))
    secrets.push({ variable, secret: undefined, value: randomBytes(32).toString('base64url') });
  // Several schemes may share a variable.
  return [...new Map(secrets.map((each) => [each.variable, each])).values()];
}
