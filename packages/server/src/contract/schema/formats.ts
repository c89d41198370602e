/**
 * The formats that are enforced: those of JSON Schema 2020-12 (validation, section 7.3) and of the OpenAPI Format Registry.
 * A checker takes time linear in the text: each is a pattern that compilePattern() matches, or a function of such parts.
 */
import { isIPv4 } from 'node:net';
import { domainToUnicode } from 'node:url';
import { compilePattern, type Pattern } from '../pattern/pattern';
import { isIpv6, isUri, isUriReference } from './format-uri';

/** The test of a format. Values of other types conform. */
export type Format =
  | { readonly type: 'string'; readonly source: string; readonly test: (text: string) => boolean }
  | { readonly type: 'number'; readonly source: string; readonly test: (value: number) => boolean };

/** Tests of the formats that a service adds, by the name of the format. Each takes time linear in the text. */
export type OwnFormats = Readonly<Record<string, (text: string) => boolean>>;

const string = (source: string, test: (text: string) => boolean): Format => ({
  type: 'string',
  source,
  test,
});
const number = (source: string, test: (value: number) => boolean): Format => ({
  type: 'number',
  source,
  test,
});

/** A test by a pattern of the whole text, which is compiled at its first use. */
function matching(pattern: string): (text: string) => boolean {
  let compiled: Pattern | undefined;
  return (text) => (compiled ??= compilePattern(`^(?:${pattern})$`)).test(text);
}

const integer = (least: number, most: number) => (value: number) =>
  Number.isInteger(value) && value >= least && value <= most;

// RFC 3339 section 5.6: months of 31, 30 and 28 days, and the last day of February in leap years.
const DATE =
  '(?:\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|' +
  '02-(?:0[1-9]|1\\d|2[0-8]))|(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)';
const MINUTES = '(?:[01]\\d|2[0-3]):[0-5]\\d';
const TIME = `${MINUTES}:(?:[0-5]\\d|60)(?:\\.\\d+)?(?:[Zz]|[+-]${MINUTES})`;
const [IS_TIME, IS_DATE_TIME] = [new RegExp(`^${TIME}$`), new RegExp(`^${DATE}[Tt]${TIME}$`)];

const isDate = matching(DATE);
const isTime = (text: string) => IS_TIME.test(text) && (text.charAt(6) !== '6' || endsDay(text));
const isDateTime = (text: string) =>
  IS_DATE_TIME.test(text) && (text.charAt(17) !== '6' || endsDay(text.slice(11)));

/** Whether a leap second is the last of a day in UTC. Date has none. */
function endsDay(time: string): boolean {
  const before = `2000-01-02T${time.slice(0, 6)}59${time.slice(8).replace(/\.\d+/, '').toUpperCase()}`;
  return new Date(before).toISOString().slice(11, 16) === '23:59';
}

// RFC 3339 appendix A: a smaller unit comes right after the next larger one.
const clock = '(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)';
const calendar = '(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)';
const isDuration = matching(`P(?:${calendar}(?:T${clock})?|T${clock}|\\d+W)`);

function isHostname(text: string): boolean {
  if (text.length > 253) return false;
  return text.split('.').every((label) => {
    if (!/^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(label)) return false;
    // RFC 5890 section 2.3.1: of labels with hyphens there, only A-labels are in use.
    return label.slice(2, 4) !== '--' || (/^xn/i.test(label) && !/^(?:xn--|$)/i.test(domainToUnicode(label)));
  });
}

const ATOM = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~]+";
const QUOTED = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"';
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const isLocalPart = matching(`${ATOM}(?:\\.${ATOM})*|${QUOTED}`);
const isDomain = matching(`${LABEL}(?:\\.${LABEL})*`);

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 0 || !isLocalPart(text.slice(0, at))) return false;
  const domain = text.slice(at + 1);
  if (!domain.startsWith('[')) return isDomain(domain);
  if (!domain.endsWith(']')) return false;
  const literal = domain.slice(1, -1);
  return /^IPv6:/i.test(literal) ? isIpv6(literal.slice(5)) : isIPv4(literal);
}

// RFC 6570 section 2. The apostrophe, which its prose allows and its grammar forgets, is a literal.
const ENCODED = '%[0-9A-Fa-f]{2}';
const LITERAL =
  "[!#$&'()*+,\\-./0-9:;=?@A-Z[\\]_a-z~\\u{A0}-\\u{D7FF}\\u{E000}-\\u{FDCF}\\u{FDF0}-\\u{FFEF}\\u{10000}-\\u{10FFFD}]";
const VARIABLE = `(?:\\w|${ENCODED})(?:\\.?(?:\\w|${ENCODED}))*(?::[1-9]\\d{0,3}|\\*)?`;
const isUriTemplate = matching(
  `(?:${LITERAL}|${ENCODED}|\\{[+#./;?&=,!@|]?${VARIABLE}(?:,${VARIABLE})*\\})*`,
);

export function isRegex(text: string): boolean {
  try {
    return new RegExp(text, 'u').unicode;
  } catch {
    return false;
  }
}

const POINTER = '(?:/(?:[^/~]|~[01])*)*';

/** The last character before one `=`, or two, has unused bits, which are zero (section 3.5). */
const isBase64 = (text: string) =>
  text.length % 4 === 0 && /^[A-Za-z0-9+/]*(?:[AQgw]==|[AEIMQUYcgkosw048]=)?$/.test(text);
/** The padding may be left out (section 3.2). */
const isBase64Url = (text: string) =>
  /^[\w-]*={0,2}$/.test(text) &&
  isBase64(text.replace(/[-_]/g, '/') + (text.endsWith('=') ? '' : '='.repeat((4 - (text.length % 4)) % 4)));

/** Stands for the test that the ajv of express-openapi-validator has, where that is the one of the source. */
export const supplied = () => true;
const REGISTRY = 'OpenAPI Format Registry';

export const FORMATS: ReadonlyMap<string, Format> = new Map(
  Object.entries({
    date: string('RFC 3339 section 5.6, full-date', isDate),
    time: string('RFC 3339 section 5.6, full-time', isTime),
    'date-time': string('RFC 3339 section 5.6, date-time', isDateTime),
    duration: string('RFC 3339 appendix A, duration', isDuration),
    uri: string('RFC 3986 section 3, URI', isUri),
    'uri-reference': string('RFC 3986 section 4.1, URI-reference', isUriReference),
    'uri-template': string('RFC 6570 section 2, URI-Template', isUriTemplate),
    email: string('RFC 5321 section 4.1.2, Mailbox', isEmail),
    hostname: string('RFC 1123 section 2.1, RFC 5891 section 4.4', isHostname),
    ipv4: string('RFC 2673 section 3.2, dotted-quad', isIPv4),
    ipv6: string('RFC 4291 section 2.2', isIpv6),
    regex: string('ECMA-262 section 22.2.1, Pattern, with the u flag', isRegex),
    uuid: string(
      'RFC 9562 section 4, UUID',
      matching('[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'),
    ),
    'json-pointer': string('RFC 6901 section 3, json-pointer', matching(POINTER)),
    'relative-json-pointer': string(
      'draft-bhutton-relative-json-pointer-00 section 3, relative-json-pointer',
      matching(`(?:0|[1-9]\\d*)(?:[+-][1-9]\\d*)?(?:#|${POINTER})`),
    ),
    byte: string('RFC 4648 section 4', isBase64),
    base64url: string('RFC 4648 section 5', isBase64Url),
    binary: string(REGISTRY, supplied),
    password: string(REGISTRY, supplied),
    int8: number(REGISTRY, integer(-(2 ** 7), 2 ** 7 - 1)),
    int16: number(REGISTRY, integer(-(2 ** 15), 2 ** 15 - 1)),
    int32: number(REGISTRY, supplied),
    // For integers and numbers the keyword `exact` (exact.ts) judges it.
    int64: number(REGISTRY, (value) => Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63),
    uint8: number(REGISTRY, integer(0, 2 ** 8 - 1)),
    uint16: number(REGISTRY, integer(0, 2 ** 16 - 1)),
    uint32: number(REGISTRY, integer(0, 2 ** 32 - 1)),
    'double-int': number(REGISTRY, integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)),
    // Any number rounds to a float, except those beyond the largest float.
    float: number(REGISTRY, (value) => Number.isFinite(Math.fround(value))),
    double: number(REGISTRY, Number.isFinite),
  }),
);

/** Formats of JSON Schema 2020-12 that are annotations here, and why. */
const ANNOTATIONS: ReadonlyMap<string, string> = new Map([
  ['idn-email', 'RFC 6531 is not implemented'],
  ['idn-hostname', 'the tables of IDNA 2008 (RFC 5892) are not implemented'],
  ['iri', 'RFC 3987 is not implemented'],
  ['iri-reference', 'RFC 3987 is not implemented'],
]);

/** The reason why a format is not enforced; undefined if it is. */
export function reasonNotEnforced(name: string, own: OwnFormats): string | undefined {
  if (FORMATS.has(name) || Object.hasOwn(own, name)) return undefined;
  const reason = ANNOTATIONS.get(name) ?? 'the format is not known';
  return `format ${name} is not enforced: ${reason}`;
}
