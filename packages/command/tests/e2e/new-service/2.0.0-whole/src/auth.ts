import type { security } from '../generated/openapi';
import type { Dependencies } from './dependencies';
import { signedTokenStrategy, type PrincipalsOf, type VerifiersFor } from 'contract-first-server/runtime';

/** The verifier of each security scheme of the document, with the environment variables that configure it. */
export const verifiers = {
  member: ({ tokens }: Dependencies) => signedTokenStrategy(tokens),
} satisfies VerifiersFor<security, Dependencies>;

/** The client of a request, by security scheme of the document. A handler receives it as `principal`. */
export type Principals = PrincipalsOf<typeof verifiers>;
