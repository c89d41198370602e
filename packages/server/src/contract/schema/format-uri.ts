import { isIPv6 } from 'node:net';
import { compilePattern } from '../pattern/pattern';

/** RFC 4291 section 2.2. Node also accepts the zone of RFC 4007. */
export const isIpv6 = (text: string): boolean => isIPv6(text) && !text.includes('%');

/** The components of a URI reference (RFC 3986 appendix B). Each part ends before the next begins, so matching is linear. */
const COMPONENTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^]*))?$/;

const of = (characters: string) => {
  const pattern = `^(?:[A-Za-z0-9\\-._~!$&'()*+,;=${characters}]|%[0-9A-Fa-f]{2})*$`;
  return (text: string) => compilePattern(pattern).test(text);
};
const isPath = of(':@/');
const isQuery = of(':@/?');
const isUserInfo = of(':');
const isRegisteredName = of('');

/** RFC 3986 section 3: a URI, with a scheme. */
export const isUri = (text: string): boolean => isReference(text, true);

/** RFC 3986 section 4.1: a URI or a relative reference. */
export const isUriReference = (text: string): boolean => isReference(text, false);

function isReference(text: string, absolute: boolean): boolean {
  const [, scheme, authority, path = '', query = '', fragment = ''] = COMPONENTS.exec(text) ?? [];
  if (scheme === undefined ? absolute : !/^[A-Za-z][A-Za-z0-9+.-]*$/.test(scheme)) return false;
  // Without a scheme, a colon in the first segment would make it one.
  if (scheme === undefined && authority === undefined && path.startsWith(':')) return false;
  if (authority !== undefined && !isAuthority(authority)) return false;
  return isPath(path) && isQuery(query) && isQuery(fragment);
}

/** RFC 3986 section 3.2. */
function isAuthority(text: string): boolean {
  const at = text.indexOf('@');
  if (at >= 0 && !isUserInfo(text.slice(0, at))) return false;
  const rest = text.slice(at + 1);
  const end = rest.startsWith('[') ? rest.indexOf(']') + 1 : rest.indexOf(':');
  const host = end < 0 ? rest : rest.slice(0, end);
  if (!/^(?::\d*)?$/.test(rest.slice(host.length))) return false;
  return host.startsWith('[') ? isLiteral(host.slice(1, -1)) : isRegisteredName(host);
}

const isLiteral = (text: string) =>
  isIpv6(text) || /^[Vv][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+$/.test(text);
