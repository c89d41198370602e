import type { security } from '../generated/openapi';
import { bearerTokens, type PrincipalsOf, type VerifiersFor } from 'contract-first-server/runtime';

/** The verifier of each security scheme of the document, with the environment variables that configure it. */
export const verifiers = {
  bearerAuth: bearerTokens({ secrets: 'API_TOKENS', issuer: 'AUTH' }),
} satisfies VerifiersFor<security>;

/** The client of a request, by security scheme of the document. A handler receives it as `principal`. */
export type Principals = PrincipalsOf<typeof verifiers>;
