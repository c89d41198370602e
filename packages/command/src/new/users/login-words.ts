/** Tells from the words of an operation whether it logs users in or registers them. */
import type { Operation } from 'contract-first-server';
import { wordsOf } from '../names';

export type Role = 'login' | 'register';

const LOGIN =
  /^(login|signin|authenticate|authentication|auth|authorize|token|tokens|session|sessions|oauth|connect)$/;
const REGISTER = /^(register|registers|registration|registrations|signup|join|enroll)$/;
const USER =
  /^(users?|accounts?|customers?|members?|people|persons?|profiles?|authors?|players?|clients?|me)$/;
/** They take a password too, and are neither. */
const OTHER =
  /^(reset|resets|forgot|forgotten|lost|recover|recovery|change|update|verify|verification|validate|confirm|confirmation|activate|activation|refresh|revoke|introspect|logout|signout|delete|remove|invite|invitation|invitations|admin|mfa|otp|totp|2fa|twofactor|unlock|check|exists|availability|available|deactivate)$/;

/** `log in`, `sign up` and `two factor` are one word each. */
const wordsIn = (text: string): string[] =>
  wordsOf(text)
    .join(' ')
    .replace(/\b(log|sign) (in|up|out)\b/g, '$1$2')
    .replace(/\btwo factor\b/g, 'twofactor')
    .split(' ');

/** Whether anybody may request the operation. */
const isOpen = ({ security }: Operation): boolean =>
  security.length === 0 || security.some((alternative) => alternative.length === 0);

/** What the words of an operation say, if anybody may request it. */
export function guessed(operation: Operation, hasToken: boolean, hasUser: boolean): Role | undefined {
  const {
    method,
    operationId,
    paths: [path = ''],
  } = operation;
  const segments = path.split('/').filter((segment) => segment !== '');
  const last = wordsIn(segments.at(-1) ?? '');
  const words = [...wordsIn(segments.slice(-2).join(' ')), ...wordsIn(operationId)];
  const has = (kind: RegExp, among = words): boolean => among.some((word) => kind.test(word));
  if (!isOpen(operation) || path.includes('{') || has(OTHER) || !/^(POST|PUT|GET)$/.test(method))
    return undefined;
  const registers = has(REGISTER) || (has(USER, last) && !has(LOGIN, last) && method !== 'GET');
  if (registers) return method === 'GET' ? undefined : 'register';
  return hasToken && (has(LOGIN) || !hasUser) ? 'login' : undefined;
}

const OWN = /^(me|my|self|current|whoami|profile|account|user|session)$/;

/** Whether the words of an operation say that it answers who asks: `GET /users/current`. */
export function isOwn({ method, operationId, paths: [path = ''], parameters }: Operation): boolean {
  const last = path.split('/').at(-1) ?? '';
  const isSure = !parameters.some(({ required }) => required);
  return method === 'GET' && isSure && wordsIn(`${last} ${operationId}`).some((word) => OWN.test(word));
}
