/**
 * Answers conditional requests and requests for a range from the whole response of a handler, where the operation documents it:
 * 304 and 412 by its ETag and Last-Modified, 206 and 416 for bytes of a known length (RFC 9110 sections 13.2.2 and 14).
 */
import { Conditions, isEntityTag, type Validators } from '../http/conditional';
import type { ReportFault } from '../http/fault';
import { FileBody } from '../http/files';
import { type ByteRange, isOfState, byteRangeOf } from '../http/ranges';
import { OutgoingBody } from '../http/send';
import type { Operation } from '../operations/operations';
import { type Answer, type Headers, Problem } from '../problem';
import type { Encoded } from './write-response';
import type { Select, ServedOperation } from './served-operation';

const CHANGED = 'the resource is not in the state that If-Match or If-Unmodified-Since expects';
/** Fields that belong to the content of the whole response. A response without content lacks them (section 15.4.5). */
const OF_CONTENT = /^content-(type|encoding|language|digest|md5)$/i;
/** Fields that belong to the bytes of the whole response (RFC 9530 section 2). */
const OF_BYTES = /^content-(digest|md5)$/i;
/** Stands for a part of the content: nothing judges bytes. */
const NO_BYTES = new Uint8Array();

const isRead = ({ method }: Operation): boolean => method === 'GET' || method === 'HEAD';

/** Whether the server itself answers 412: an operation of which the state is documented may say so. */
export const judgesState = (operation: Operation): boolean =>
  isRead(operation) &&
  operation.responses.has('412') &&
  [...operation.responses].some(
    ([status, { headers }]) =>
      status.startsWith('2') && headers.some(({ name }) => /^(etag|last-modified)$/i.test(name)),
  );

/** Whether the server itself answers 416. */
export const rejectsRanges = ({ method, responses }: Operation): boolean =>
  method === 'GET' && responses.has('206') && responses.has('416');

/** Creates the function of an operation; undefined if it documents none of these statuses by themselves. */
export function compileSelect(served: ServedOperation, fault: ReportFault): Select | undefined {
  const { operation, responses } = served;
  const [hasParts, hasSame] = [operation.responses.has('206'), operation.responses.has('304')];
  const [judges, rejects] = [judgesState(operation), rejectsRanges(operation)];
  if (!isRead(operation) || !(hasParts || hasSame || judges)) return undefined;

  /** The response with another status and a part of its content. It keeps its other fields, documented or not. */
  function as(status: number, { headers }: Answer, whole: Encoded, more: Headers, body: Encoded['body']) {
    const lower = ([name]: readonly [string, unknown]) => name.toLowerCase();
    const described = operation.responses.get(String(status))?.headers ?? [];
    const documented = new Set(described.map(({ name }) => name.toLowerCase()));
    const own = Object.entries(headers ?? {}).filter(
      (field) => documented.has(lower(field)) && !OF_BYTES.test(field[0]),
    );
    const written = new Set(['content-type', ...[...own, ...Object.entries(more)].map(lower)]);
    const others = Object.entries(whole.headers).filter(
      (field) => !written.has(lower(field)) && !(body ? OF_BYTES : OF_CONTENT).test(field[0]),
    );
    const [ofHooks = [], kept = []] = [true, false].map((is) =>
      others.filter((field) => documented.has(lower(field)) === is),
    );
    const extra = { ...Object.fromEntries(ofHooks.map(([name, value]) => [name, String(value)])), ...more };
    const content = body && { contentType: String(whole.headers['Content-Type']), body: NO_BYTES };
    const head = responses.write({ status, headers: Object.fromEntries(own), ...content }, extra);
    return { status, headers: { ...head.headers, ...Object.fromEntries(kept) }, body };
  }

  /** An error response, with its body if the operation documents one. */
  function reject(problem: Problem, status: number, answer: Answer, whole: Encoded): Encoded {
    const isBodiless = operation.responses.get(String(status))?.content.length === 0;
    if (isBodiless) return as(status, answer, whole, problem.headers, undefined);
    throw problem;
  }

  function select(...[request, answer, whole]: Parameters<Select>): Encoded {
    if (whole.status < 200 || whole.status > 299) return whole;
    const conditions = new Conditions(request);
    const validators = validatorsOf(whole);
    if (judges && !conditions.isExpected(validators))
      return reject(new Problem('preconditionFailed', CHANGED), 412, answer, whole);
    if (hasSame && !conditions.isChanged(validators)) return as(304, answer, whole, {}, undefined);
    const length = hasParts && whole.status === 200 ? lengthOf(whole) : undefined;
    if (length === undefined) return whole;
    // Section 14.2: only GET has ranges.
    const isAsked = request.method === 'GET' && isOfState(request, validators);
    const range = isAsked ? byteRangeOf(request, length) : undefined;
    const more: Headers = fieldOf(whole, 'accept-ranges') === undefined ? { 'Accept-Ranges': 'bytes' } : {};
    if (range === 'unsatisfiable' && rejects) {
      const headers = { 'Content-Range': `bytes */${length}` };
      const message = `the range begins after the end of the content, which has ${length} bytes`;
      return reject(new Problem('rangeNotSatisfiable', message, headers), 416, answer, whole);
    }
    if (typeof range !== 'object') return { ...whole, headers: { ...more, ...whole.headers } };
    const { start, end } = range;
    const headers = { ...more, 'Content-Range': `bytes ${start}-${end - 1}/${length}` };
    return as(206, answer, whole, headers, partOf(whole.body, range));
  }

  return (request, answer, whole) => {
    const selected = select(request, answer, whole);
    if (selected.body !== whole.body && whole.body instanceof OutgoingBody) whole.body.release(fault);
    return selected;
  };
}

/** The value of a header field, whose name is in lower case. */
const fieldOf = ({ headers }: Encoded, lower: string): string | readonly string[] | undefined =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === lower)?.[1];

function validatorsOf(whole: Encoded): Validators {
  const [etag, lastModified] = [fieldOf(whole, 'etag'), fieldOf(whole, 'last-modified')];
  return {
    etag: typeof etag === 'string' && isEntityTag(etag) ? etag : undefined,
    lastModified: typeof lastModified === 'string' ? lastModified : undefined,
  };
}

/** The length of content of which a part can be sent; undefined if there is none. */
function lengthOf(whole: Encoded): number | undefined {
  const { body, isBytes } = whole;
  if (!isBytes || (fieldOf(whole, 'accept-ranges') ?? 'bytes') !== 'bytes') return undefined;
  return body instanceof Uint8Array || body instanceof FileBody ? body.length : undefined;
}

function partOf(body: Encoded['body'], { start, end }: ByteRange): Encoded['body'] {
  return body instanceof Uint8Array
    ? body.subarray(start, end)
    : body instanceof FileBody
      ? body.select(start, end)
      : body;
}
