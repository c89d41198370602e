import { types } from 'node:util';
import type { Strategy } from 'passport';
import { opaqueKind } from '../json/opaque';
import type { Credentials } from './credentials';

/** The passport strategies that verify credentials, by the name of the security scheme. */
export type Strategies = Readonly<Record<string, Pick<Strategy, 'authenticate'>>>;

/** The verdict of a strategy. */
export type Verdict =
  | { readonly principal: object }
  | { readonly kind: 'badCredentials' | 'forbidden'; readonly challenge: string | undefined };

/** A strategy at work on one request. */
interface Attempt {
  end: (verdict: Verdict) => void;
  reject: (error: unknown) => void;
  success(given: unknown): void;
  authenticate(credentials: Credentials, options: { readonly scope: readonly string[] }): unknown;
}

/**
 * Asks a strategy for its verdict; the scopes that the operation demands are told to it as well. A strategy that ends
 * before it returns, as one that knows its tokens does, needs no promise.
 */
export type Ask = (credentials: Credentials, scopes: readonly string[]) => Verdict | Promise<Verdict>;

const ignore = () => undefined;

/** What a header field can hold (RFC 9110 section 5.5). */
const FIELD = /^[\t\x20-\x7e]+$/;

/**
 * Runs a strategy of passport, which ends by calling one of these methods on itself
 * (https://www.passportjs.org/packages/passport-strategy). The first call counts. Nothing but a principal is a success:
 * this is the one place where all strategies end, those of other packages too.
 *
 * @param name of the security scheme, for messages
 * @returns a function that throws, or whose promise rejects, where the strategy has failed to give a verdict
 */
export function attemptsOf(name: string, strategy: Strategies[string]): Ask {
  const failure = (what: string, cause?: unknown) =>
    new Error(`the strategy of the security scheme ${name} ${what}`, { cause });
  const judge = (given: unknown, end: Attempt['end'], reject: Attempt['reject']): void => {
    try {
      if (isPrincipal(given)) end({ principal: given });
      else if (given === false) end({ kind: 'badCredentials', challenge: undefined });
      else if (isThenable(given)) {
        Promise.resolve(given).then(
          (verified) => {
            judge(verified, end, reject);
          },
          (error: unknown) => {
            reject(error ?? failure('rejects without a reason'));
          },
        );
      } else {
        const cause = types.isNativeError(given) ? given : undefined; // all else may be a secret
        reject(failure(`expected a principal (an object) or false, got ${kindOf(given)}`, cause));
      }
    } catch (error) {
      reject(error); // of a getter
    }
  };
  const pending = { end: ignore, reject: ignore };
  const methods = Object.assign(Object.create(strategy) as Pick<Attempt, 'authenticate'>, pending, {
    success(this: Attempt, given: unknown) {
      const { end, reject } = this;
      this.end = this.reject = ignore; // the first call counts, also while its promise is pending
      judge(given, end, reject);
    },
    fail(this: Attempt, challenge?: unknown, status?: number) {
      const forbidden = status === 403 || challenge === 403;
      const sendable = typeof challenge === 'string' && FIELD.test(challenge) ? challenge : undefined;
      this.end({ kind: forbidden ? 'forbidden' : 'badCredentials', challenge: sendable });
    },
    error(this: Attempt, error: unknown) {
      this.reject(error ?? failure('reports an error without a reason'));
    },
    pass(this: Attempt) {
      this.reject(failure('ends without a verdict'));
    },
    redirect(this: Attempt) {
      this.reject(failure('wants to redirect, which the contract does not know'));
    },
  });

  return (credentials, scope) => {
    const attempt = Object.create(methods) as Attempt;
    let verdict: Verdict | undefined;
    let later: PromiseWithResolvers<Verdict> | undefined;
    const fail = (error: unknown) => {
      if (!verdict) (later ??= Promise.withResolvers()).reject(error);
    };
    attempt.reject = fail;
    attempt.end = (given) => {
      if (later) later.resolve(given);
      else verdict ??= given;
    };
    try {
      const returned = attempt.authenticate(credentials, { scope });
      // An asynchronous strategy can only fail here; its verdict comes as that of any other.
      if (returned !== undefined) Promise.resolve(returned).catch(fail);
    } catch (error) {
      fail(error);
    }
    return verdict ?? (later ??= Promise.withResolvers()).promise;
  };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    'then' in value &&
    typeof value.then === 'function'
  );
}

/** Rows of a database, an error that was caught, the `Response` of a fetch: none of them is who sent the credentials. */
function isPrincipal(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !isThenable(value) &&
    opaqueKind(value) === undefined
  );
}

/** Names the kind of a value and not the value, which may be a secret. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined || value === true) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (types.isNativeError(value)) return 'an Error';
  if (types.isBoxedPrimitive(value)) return 'a boxed primitive';
  return `a ${(typeof value === 'object' ? opaqueKind(value) : undefined) ?? typeof value}`;
}
