/**
 * The types that tie verifiers and strategies to the document: `Security` is the interface `security` that
 * scripts/generate/main.ts derives from it (operationId -> its security requirements, `never` without authentication).
 */
import type { Strategy } from 'passport';

/**
 * The verdict on credentials: the principal they belong to, or `false` if they are refused. Anything else, `undefined`
 * and `null` included, is an error of the verifier: the request is answered 50000 and never let in. A principal is an
 * object other than an array, a function, and those built in (an Error, a Map, a Date, the `Response` of a fetch). A promise that rejects is an error as well.
 */
export type Verified<P extends object> = P | false | PromiseLike<P | false>;

/** Verifies credentials in the form of their scheme: a token, an API key, or a user and a password. */
export type Verify<Credentials extends unknown[], P extends object> = (
  ...credentials: Credentials
) => Verified<P>;

/** A strategy of passport, of which the compiler knows the principal that it gives. */
export interface StrategyOf<P extends object> extends Pick<Strategy, 'authenticate'> {
  /** For the compiler only: no strategy has it. */
  readonly principal?: P;
}

/** A security requirement object of each operation (OpenAPI 3.1 section 4.8.30). */
type Requirement<Security> = Security[keyof Security];
type SchemeOf<R> = R extends R ? keyof R : never;
type ScopeOf<R, Scheme extends PropertyKey> =
  R extends Readonly<Record<Scheme, readonly (infer Scope)[]>> ? Scope : never;

/** Principals that hold scopes, as an access token does. */
interface Scoped {
  readonly scopes: readonly string[];
}

/** What the principal of each security scheme must be: an object, with `scopes` where the document demands some. */
export type PrincipalsFor<Security> = {
  readonly [Scheme in SchemeOf<Requirement<Security>>]: [ScopeOf<Requirement<Security>, Scheme>] extends [
    never,
  ]
    ? object
    : Scoped;
};

/** One strategy for each security scheme of the document, which gives the principal of that scheme. */
export type StrategiesFor<Security, Principals extends PrincipalsFor<Security>> = {
  readonly [Scheme in keyof PrincipalsFor<Security>]: StrategyOf<Principals[Scheme]>;
};
