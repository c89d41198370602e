import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  firstCommand,
  invitation,
  madeUpSecrets,
  OpenApiDocument,
  openSecrets,
} from 'contract-first-server/tools';
import { readDocument, securitySchemes } from 'contract-first-server';
import { readCredentials, Variables, type Verifiers } from 'contract-first-server/runtime';
import { loadModule } from '../load';
import { PUBLISHED, root } from '../paths';

/** What every server of one `dev` is given, and what a person is told about it. */
export interface DevSecrets {
  /** The generated secrets, with all scopes of the document. */
  readonly environment: Readonly<Record<string, string>>;
  /** The variables of the secrets that sign tokens and webhooks: no client presents them. */
  readonly signing: readonly string[];
  /** How to call a server; undefined if nothing can be called without data. */
  readonly invite: (address: string) => string | undefined;
}

/**
 * Generates a secret for each variable of src/auth.ts and of signed tokens that is not configured. As environment variables
 * they stay valid when the server is replaced, and with them the tokens that it has signed.
 *
 * @throws {Error} if src/auth.ts, src/config.ts or the published contract cannot be read, or do not fit
 */
export function createDevSecrets(): DevSecrets {
  const { verifiers = {} } = (loadModule('src/auth.ts') ?? {}) as { readonly verifiers?: Verifiers };
  const document = new OpenApiDocument(readDocument(readFileSync(path.join(root, PUBLISHED), 'utf8')));
  const { generated } = openSecrets(readCredentials(verifiers, new Variables(process.env)), document);
  const scopes = [...new Set(securitySchemes(document).flatMap((scheme) => scheme.scopes))].join(' ');
  const secrets = [...generated].map(([scheme, { variable, secret }]) => {
    const verifier = verifiers[scheme];
    const isUser = verifier !== undefined && 'kind' in verifier && verifier.kind === 'basic';
    return [variable, isUser || scopes === '' ? secret : `${secret}:${scopes}`] as const;
  });
  const { readConfig } = (loadModule('src/config.ts') ?? {}) as { readonly readConfig?: () => object };
  const signing = madeUpSecrets(readConfig?.() ?? {});
  // As Standard Webhooks writes them, which the secrets of tokens may be too.
  const signed = signing.map(
    (variable) => [variable, `whsec_${randomBytes(32).toString('base64')}`] as const,
  );
  return {
    // Several schemes may share a variable.
    environment: Object.fromEntries([...secrets, ...signed]),
    signing,
    invite: (address) =>
      generated.size > 0 ? invitation(document, address, generated) : firstCommand(document, address),
  };
}
