/**
 * The types that tie verifiers and strategies to the document. `Security` is an interface that is
 * generated from it: operationId -> its security requirements, `never` without authentication.
 */
import type { Strategy } from 'passport';

/**
 * The verdict on credentials: their principal, or `false` to reject them. A principal is an object other than an array, a
 * function, and built-in objects (an Error, a Map, a Date, the `Response` of a fetch). Any other value, such as `undefined`
 * or `null`, is an error of the verifier, and so is a promise that rejects: the request ends with the problem `unexpected`.
 */
export type Verified<P extends object> = P | false | PromiseLike<P | false>;

/** Verifies credentials: a token, an API key, or a user and a password. */
export type Verify<Credentials extends unknown[], P extends object> = (
  ...credentials: Credentials
) => Verified<P>;

/** A passport strategy with the type of its principal. */
export interface StrategyOf<P extends object> extends Pick<Strategy, 'authenticate'> {
  /** For the compiler only; undefined at run time. */
  readonly principal?: P;
}

/** The union of all security requirements (OpenAPI 3.1 section 4.8.30). */
type Requirement<Security> = Security[keyof Security];
/** The keys of each member of a union. */
export type SchemeOf<R> = R extends R ? keyof R : never;
type ScopeOf<R, Scheme extends PropertyKey> =
  R extends Readonly<Record<Scheme, readonly (infer Scope)[]>> ? Scope : never;

/** Principals that hold scopes, as an access token does. */
interface Scoped {
  readonly scopes: readonly string[];
}

/** The type of each security scheme's principal: an object, with `scopes` if the document demands scopes. */
export type PrincipalsFor<Security> = {
  readonly [Scheme in SchemeOf<Requirement<Security>>]: [ScopeOf<Requirement<Security>, Scheme>] extends [
    never,
  ]
    ? object
    : Scoped;
};

/** A strategy for each security scheme of the document, with the type of its principal. */
export type StrategiesFor<Security, Principals extends PrincipalsFor<Security>> = {
  readonly [Scheme in keyof PrincipalsFor<Security>]: StrategyOf<Principals[Scheme]>;
};
