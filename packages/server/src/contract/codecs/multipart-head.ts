import { isUtf8 } from 'node:buffer';
import { fieldLines, isFieldName, type RawHeaders } from '../http/header-field';
import { type MediaType, parseMediaType, splitField, trimSpace } from '../http/media-type';
import { notWellFormed } from './multipart-splitter';

/** The header fields of a part. */
export interface PartHead extends RawHeaders {
  /** The Content-Type as it was sent, and parsed; undefined if there is none. */
  readonly contentType: string | undefined;
  readonly type: MediaType | undefined;
  /** The Content-Transfer-Encoding in lower case; undefined if the part is not encoded. */
  readonly transferEncoding: string | undefined;
}

/** What names a part of a form (RFC 7578 section 4.2). */
export interface Disposition {
  readonly name: string;
  /** Empty if there is none. */
  readonly fileName: string;
}

const CONTROL = /[\0-\x08\n-\x1f\x7f]/;

/**
 * Parses the header fields of a part (RFC 2046 section 5.1, RFC 5322 section 2.2).
 *
 * @throws {Problem} `malformed`
 */
export function parseHead(head: Buffer): PartHead {
  if (!isUtf8(head)) throw notWellFormed('the header fields of a part are not UTF-8');
  const rawHeaders: string[] = [];
  const lines = head.toString('utf8').replace(/\r\n(?=[\t ])/g, '');
  for (const line of lines.split('\r\n').slice(0, -1)) {
    const [name, value] = [line.slice(0, Math.max(0, line.indexOf(':'))), line.slice(line.indexOf(':') + 1)];
    if (!isFieldName(name)) throw notWellFormed('a part has a line that is not a header field');
    if (CONTROL.test(value)) throw notWellFormed('a part has a header field with a control character');
    rawHeaders.push(name, trimSpace(value, 0, value.length));
  }
  const contentType = once(rawHeaders, 'Content-Type');
  const type = contentType === undefined ? undefined : parseMediaType(contentType);
  if (contentType !== undefined && !type) throw notWellFormed('a part has an invalid Content-Type');
  const coding = once(rawHeaders, 'Content-Transfer-Encoding')?.toLowerCase();
  const transferEncoding = coding !== undefined && /^(7bit|8bit|binary)$/.test(coding) ? undefined : coding;
  return { rawHeaders, contentType, type, transferEncoding };
}

/** @throws {Problem} `malformed` if a field is given more than once */
function once(rawHeaders: readonly string[], name: string): string | undefined {
  const [value, another] = fieldLines({ rawHeaders }, name.toLowerCase());
  if (another !== undefined) throw notWellFormed(`a part has more than one ${name}`);
  return value;
}

const PARAMETER = /^([!#$%&'*+.^_`|~\w-]+)=(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~\w-]+))$/;

/**
 * Parses the Content-Disposition of a part of a form.
 *
 * @throws {Problem} `malformed`
 */
export function dispositionOf(head: RawHeaders): Disposition {
  const { kind, parameters } = parseDisposition(head) ?? {};
  if (!parameters) throw notWellFormed('a part has no Content-Disposition');
  if (kind !== 'form-data') throw notWellFormed('a part has a Content-Disposition other than form-data');
  const name = parameters.get('name');
  if (name === undefined || parameters.has('name*')) throw notWellFormed('a part has no name');
  return { name, fileName: fileNameIn(parameters) };
}

/** The file name of a part that has no name; empty if there is none. */
export const fileNameOf = (head: RawHeaders): string =>
  fileNameIn(parseDisposition(head)?.parameters ?? new Map());

/** `filename*` (RFC 5987) comes before `filename`. */
function fileNameIn(parameters: ReadonlyMap<string, string>): string {
  const extended = parameters.get('filename*');
  return extended === undefined ? (parameters.get('filename') ?? '') : decodeExtended(extended);
}

function parseDisposition({ rawHeaders }: RawHeaders) {
  const field = once(rawHeaders, 'Content-Disposition');
  if (field === undefined) return undefined;
  const [kind = '', ...parts] = splitField(field, ';');
  const parameters = new Map<string, string>();
  for (const part of parts) {
    const [, name = '', quoted, token] = PARAMETER.exec(part) ?? [];
    const key = name.toLowerCase();
    if (!isFieldName(kind) || key === '' || parameters.has(key))
      throw notWellFormed('a part has an invalid Content-Disposition');
    parameters.set(key, quoted === undefined ? (token ?? '') : unescape(quoted));
  }
  return { kind: kind.toLowerCase(), parameters };
}

/**
 * Browsers escape a quote and line breaks with `%`, and nothing else
 * (https://html.spec.whatwg.org/#multipart-form-data); other clients escape a quote with a backslash.
 */
const unescape = (text: string): string =>
  text
    .replace(/\\(["\\])/g, '$1')
    .replace(/%22/g, '"')
    .replace(/%0d/gi, '\r')
    .replace(/%0a/gi, '\n');

function decodeExtended(value: string): string {
  const encoded = /^utf-8'[\w-]*'(.*)$/i.exec(value)?.[1];
  try {
    if (encoded !== undefined) return decodeURIComponent(encoded);
  } catch {
    // rejected below
  }
  throw notWellFormed('a part has a filename* that is not percent-encoded UTF-8');
}
