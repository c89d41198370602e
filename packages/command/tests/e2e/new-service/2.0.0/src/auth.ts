import type { security } from '../generated/openapi';
import { apiKeys, basicUsers, type PrincipalsOf, type VerifiersFor } from 'contract-first-server/operational';

/** The verifier of each security scheme of the document, with the environment variables that configure it. */
export const verifiers = {
  visitorKey: apiKeys({ secrets: 'API_KEYS' }),
  curator: basicUsers({ secrets: 'API_USERS' }),
} satisfies VerifiersFor<security>;

/** The client of a request, by security scheme of the document. A handler receives it as `principal`. */
export type Principals = PrincipalsOf<typeof verifiers>;
