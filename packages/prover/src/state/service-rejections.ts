import type { Case } from '../cases/case';
import { NumberLiteral, valueAt } from '../json/value';
import { header, jsonOf, type RawResponse } from '../wire/message';
import { responseFor } from '../document/model';
import { takesCredentials } from '../request/compose';

/** Statuses about the state of the service or the sender's rights (RFC 9110 section 15.5, RFC 4918, RFC 6585). */
const STATE_STATUSES = [402, 403, 404, 409, 410, 412, 423, 424, 425, 428, 429, 451];

/** Statuses about limits that a document cannot state (RFC 9110 section 15.5, RFC 6585). */
const LIMIT_STATUSES = [413, 414, 431];

/** Statuses that have no other reason than the request itself (RFC 9110 section 15.5). */
const REQUEST_STATUSES = [401, 405, 406, 411, 415];

/** Octets that RFC 3986 section 7.3 and intermediaries treat specially in a path, though they are encoded. */
const SPECIAL_OCTETS = /%(?:00|2f|5c|2e)/i;

/** Words of refusals that name a conflict. */
const CONFLICT = /\b(?:already|exists?|duplicate|taken|conflict|unique|in use)\b/i;

/**
 * Distinguishes refusals by the service itself, such as a conflict with what it holds, from refusals of invalid
 * requests: of a black box the prover knows neither the state nor the rules.
 */
export function createServiceRejections() {
  const statuses = new Set<number>();
  const codes = new Set<string>();
  return {
    /** Learns how the server refuses a request that is invalid. */
    learn({ expect }: Case, outcome: RawResponse): void {
      if (expect.kind !== 'refused' || outcome.status < 400 || outcome.status > 499) return;
      if (!expect.reasons.some((reason) => reason === 'invalid request' || reason === 'malformed')) return;
      statuses.add(outcome.status);
      const code = problemCode(outcome);
      if (code !== undefined) codes.add(code);
    },
    reason({ request, operation }: Case, outcome: RawResponse): string | undefined {
      const { status } = outcome;
      // As a login does: the body has the credentials, and no document says which are right.
      if (status === 401 && !takesCredentials(operation) && responseFor(operation, 401)?.status === '401')
        return 'the service refused a valid request with 401, though the operation takes no credentials beside its inputs';
      if (STATE_STATUSES.includes(status)) return `the service refused a valid request with ${status}`;
      if (LIMIT_STATUSES.includes(status)) return `the request is larger than the server accepts: ${status}`;
      if (status >= 500 || REQUEST_STATUSES.includes(status)) return undefined;
      if (SPECIAL_OCTETS.test(request.target))
        return 'RFC 3986 section 7.3: a server may refuse the octets that its target contains';
      if (status === 422 && statuses.size > 0 && !statuses.has(422))
        return 'the service answered 422, which is not its status for invalid requests';
      const code = problemCode(outcome);
      if (code !== undefined && codes.size > 0 && !codes.has(code))
        return `the service refused it with the code ${code}, which is not one of its codes for invalid requests`;
      if (CONFLICT.test(outcome.body.toString()))
        return `the service refused it with ${status}, because of what it holds`;
      return undefined;
    },
  };
}

/** Members that name the kind of a problem: RFC 9457 section 3.1.1, and common ones. */
const CODES = ['type', 'code', 'errorCode', 'error_code', 'error'];

/** The code of a problem in a JSON body. */
function problemCode(outcome: RawResponse): string | undefined {
  const body = /[/+]json/i.test(header(outcome, 'content-type') ?? '') ? jsonOf(outcome) : undefined;
  if (body === undefined) return undefined;
  const found = ['', '/error'].flatMap((place) => CODES.map((name) => valueAt(body, `${place}/${name}`)));
  const code = found.find((value) => value instanceof NumberLiteral || typeof value === 'string');
  return code instanceof NumberLiteral ? code.text : code;
}
