import { isIPv6 } from 'node:net';
import { type Problem, RequestProblem } from '../problem';
import { unsupported } from './header-field';
import { trimSpace } from './media-type';

// Each expression reads a text once: no two neighboring parts of one begin with the same character.
export const TOKEN = "[!#$%&'*+.^_`|~\\w-]+"; // RFC 9110 section 5.6.2
/** RFC 3986 section 3.3, and what browsers do not encode in a path (https://url.spec.whatwg.org/#path-percent-encode-set). */
const PATH = percentEncoded("\\w.~!$&'()*+,;=:@/[\\]^|-");
/** RFC 3986 section 3.4, and what browsers do not encode in a query. */
const QUERY = percentEncoded("\\w.~!$&'()*+,;=:@/?[\\]^|{}\\\\`-");
/** RFC 3986 section 3.2.2, without the comma: a proxy that joins two Host fields makes one such name of them. */
const NAME = percentEncoded("\\w.~!$&'()*+;=-");
const ORIGIN_FORM = `/${PATH}(?:\\?${QUERY})?`;

/** The request line of nearly every request (RFC 9112 section 3). */
const ORDINARY_LINE = new RegExp(`(?!CONNECT )${TOKEN} ${ORIGIN_FORM} HTTP/1\\.[01]\\r\\n`, 'y');
const REQUEST_LINE = new RegExp(`^(${TOKEN}) ([!-~]+) HTTP/(\\d)(?:\\.(\\d))?\\r\\n`);
const ORIGIN = new RegExp(`^${ORIGIN_FORM}$`);
/** The absolute-form (RFC 9112 section 3.2.2) of the two schemes of HTTP (RFC 9110 section 4.2). */
const ABSOLUTE = new RegExp(`^https?://([^/?]*)(?:/${PATH})?(?:\\?${QUERY})?$`, 'i');
/** The host and port of a URI without userinfo, which a server should reject (RFC 9110 section 4.2.4). */
const AUTHORITY = new RegExp(`^(?:\\[([^\\]]*)\\]|${NAME})(?::(\\d*))?$`);
const IPV_FUTURE = /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/i;
/** Field lines (RFC 9112 section 5): no space before the colon, no line that continues another, no control characters. */
const FIELD_LINES = new RegExp(`(?:${TOKEN}:[\\t -~\\x80-\\xff]*\\r\\n)*`, 'y');
const FIELD_NAME = new RegExp(`${TOKEN}:`, 'y');
/** A transfer coding with its parameters (RFC 9112 section 7). */
const CODING = new RegExp(`^(${TOKEN})(?:[\\t ]*;|$)`);

/** The fields that decide where the request ends and to whom it goes, by the length of their names. */
const FRAMING = new Map(
  (['host', 'content-length', 'transfer-encoding'] as const).map((name) => [name.length, name]),
);
const [LETTER_C, LETTER_H, LETTER_T, DIGIT_0] = [0x63, 0x68, 0x74, 0x30];
const LOWER_CASE = 0x20;

/** Any number of these characters and of percent-encoded octets (RFC 3986 section 2.1). */
function percentEncoded(characters: string): string {
  return `[${characters}]*(?:%[\\da-fA-F]{2}[${characters}]*)*`;
}

const malformed = (message: string) => new RequestProblem('malformed', message);

/**
 * Judges the head of a request by the grammar of HTTP/1.1 (RFC 9110, RFC 9112) and of URIs (RFC 3986), before anything else
 * reads it. After a rejection the connection must be closed: another reader of the same bytes may see other requests in them.
 *
 * It rejects what RFC 9112 leaves to the server: bare line feeds, a Content-Length that is given twice or stands beside
 * Transfer-Encoding, and every transfer coding but one `chunked`. Its time is linear in the size of the head.
 *
 * @param head bytes as latin1 text, from the request line to the empty line that ends the head, inclusive
 * @returns `malformed`, `tooLarge`, `unknownTransferCoding` or `versionNotSupported`; the Content-Length of a head that is valid,
 *   0 without one
 */
export function judgeHead(head: string): Problem | number {
  ORDINARY_LINE.lastIndex = 0;
  const problem = ORDINARY_LINE.test(head) ? undefined : judgeRequestLine(head);
  if (problem) return problem;
  let at = head.indexOf('\r\n') + 2;
  const isOld = head.charCodeAt(at - 3) === DIGIT_0;
  let host: string | undefined;
  let length: string | undefined;
  let codings: string | undefined;
  FIELD_LINES.lastIndex = at;
  FIELD_LINES.test(head);
  const { lastIndex } = FIELD_LINES;
  if (!head.startsWith('\r\n', lastIndex)) return malformedLine(head, lastIndex);
  while (at < lastIndex) {
    const end = head.indexOf('\r\n', at) + 2;
    const first = head.charCodeAt(at) | LOWER_CASE;
    if (first === LETTER_H || first === LETTER_C || first === LETTER_T) {
      const colon = head.indexOf(':', at);
      const name = FRAMING.get(colon - at);
      if (name !== undefined && head.slice(at, colon).toLowerCase() === name) {
        const value = trimSpace(head, colon + 1, end - 2);
        if (name === 'transfer-encoding') codings = codings === undefined ? value : `${codings},${value}`;
        else if (name === 'host' ? host !== undefined : length !== undefined)
          return malformed(`the request has more than one ${name}`);
        else if (name === 'host') host = value;
        else length = value;
      }
    }
    at = end;
  }
  if (at + 2 !== head.length) return malformed('the head of the request has an empty line within it');
  // RFC 9112 section 3.2. Empty: the client knows no authority, and the server needs none.
  if (host === undefined && !isOld) return malformed('the request has no Host');
  if (host !== undefined && host !== '' && !isAuthority(host))
    return malformed('the Host of the request is not a host, with or without a port');
  return codings === undefined ? judgeLength(length) : judgeCodings(codings, length, isOld);
}

/** Judges a request line that is not ordinary (RFC 9112 section 3). */
function judgeRequestLine(head: string): Problem | undefined {
  const [line, method = '', target = '', major = '', minor = ''] = REQUEST_LINE.exec(head) ?? [];
  if (line === undefined)
    return malformed(
      'the request line is not a method, a target and a version such as HTTP/1.1, with one space between',
    );
  if (major >= '2')
    return new RequestProblem('versionNotSupported', `expected HTTP/1.1 or HTTP/1.0, got HTTP/${major}`);
  if (major !== '1' || (minor !== '0' && minor !== '1'))
    return malformed('the request line has a version other than HTTP/1.1 and HTTP/1.0');
  if (method === 'CONNECT') {
    if (/:\d+$/.test(target) && isAuthority(target)) return undefined; // RFC 9110 section 9.3.6
    return malformed('the target of a CONNECT request is not a host and a port');
  }
  if (target === '*')
    return method === 'OPTIONS' ? undefined : malformed('the target * is for the method OPTIONS only');
  if (ORIGIN.test(target)) return undefined;
  const authority = ABSOLUTE.exec(target)?.[1];
  if (authority !== undefined && isAuthority(authority)) return undefined;
  return malformed('the target of the request is neither a path, percent-encoded, nor an http or https URI');
}

/** Whether a text is a host that is not empty, with or without a port (RFC 3986 sections 3.2.2 and 3.2.3). */
function isAuthority(text: string): boolean {
  const [all, literal, port = ''] = AUTHORITY.exec(text) ?? [];
  if (all === undefined || all.startsWith(':') || all === '' || Number(port) > 65_535) return false;
  if (literal === undefined) return true;
  return IPV_FUTURE.test(literal) || (isIPv6(literal) && !literal.includes('%')); // no zone: it has none on the wire
}

/** RFC 9110 section 8.6: a list of equal numbers may be rejected, and is. */
function judgeLength(length: string | undefined): Problem | number {
  if (length === undefined) return 0;
  if (/^\d+$/.test(length) && Number(length) <= Number.MAX_SAFE_INTEGER) return Number(length);
  if (/^\d+$/.test(length))
    return new RequestProblem('tooLarge', 'the Content-Length is larger than any body');
  return malformed('the Content-Length of the request is not one number of bytes');
}

/** RFC 9112 sections 6.1, 6.3 and 7. */
function judgeCodings(field: string, length: string | undefined, isOld: boolean): Problem | number {
  if (field.toLowerCase() === 'chunked' && length === undefined && !isOld) return 0;
  if (isOld) return malformed('an HTTP/1.0 request cannot have a Transfer-Encoding');
  if (length !== undefined) return malformed('the request has both a Content-Length and a Transfer-Encoding');
  const elements = field.split(',');
  for (const [i, element] of elements.entries()) {
    const text = trimSpace(element, 0, element.length);
    const name = CODING.exec(text)?.[1]?.toLowerCase();
    if (name === undefined)
      return malformed('the Transfer-Encoding of the request is not a list of transfer codings');
    if (name === 'chunked' && (i < elements.length - 1 || text.length > name.length))
      return malformed('the transfer coding chunked is not the last one, is given twice or has parameters');
  }
  return new RequestProblem('unknownTransferCoding', unsupported('Transfer-Encoding', field, ['chunked']));
}

function malformedLine(head: string, at: number): Problem {
  const number = head.slice(0, at).split('\r\n').length;
  FIELD_NAME.lastIndex = at;
  if (FIELD_NAME.test(head))
    return malformed(`line ${number} of the request has a control character, or no CRLF at its end`);
  return malformed(
    `line ${number} of the request is not a header field: a name, a colon directly after it, a value`,
  );
}
