import type { security } from '../generated/openapi';
import type { Dependencies } from './dependencies';
// #region imports
import { bearerTokens, type PrincipalsOf, type VerifiersFor } from 'contract-first-server/runtime';
// #endregion imports

/** The verifier of each security scheme of the document, with the environment variables that configure it. */
export const verifiers = {
  // #region schemes
  keeper: bearerTokens({ secrets: 'API_TOKENS', issuer: 'AUTH' }),
  // #endregion schemes
} satisfies VerifiersFor<security, Dependencies>;

/** The client of a request, by security scheme of the document. A handler receives it as `principal`. */
export type Principals = PrincipalsOf<typeof verifiers>;
