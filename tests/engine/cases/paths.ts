import { acceptable, describes } from '../document/document';
import { protocolKey } from '../ledger';
import { accepted, authorised, bodiless, refused, withHeader, type Case, type Context } from './case';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

/** Methods and paths that the document does not have. */
export function methodAndPathCases(context: Context): Case[] {
  const { document, operation } = context;
  const request = authorised(context);
  const [path = '', query] = request.target.split('?');
  const suffix = query === undefined ? '' : `?${query}`;
  const documented = document.operations
    .filter((other) => other.path === operation.path)
    .map(({ method }) => method);
  const family = 'methods and paths';
  const answersHead = operation.method === 'GET' && !documented.includes('HEAD');
  const isUnknown = (method: string): boolean =>
    !documented.includes(method) && !(method === 'HEAD' && documented.includes('GET'));
  const methods = METHODS.filter(isUnknown).map((method): Case => {
    const bare = bodiless({ ...request, method });
    const proves = [protocolKey(operation, 'undocumented methods')];
    return {
      family,
      title: `${method} ${path}`,
      operation,
      request: bare,
      expect: refused('unknown method'),
      proves,
    };
  });
  const misses = nearMisses(path).filter((candidate) => !describes(document, candidate));
  const paths = misses.map((candidate): Case => {
    const proves = [protocolKey(operation, 'near-miss paths')];
    const missed = { ...request, target: candidate + suffix };
    return {
      family,
      title: `${operation.method} ${candidate}`,
      operation,
      request: missed,
      expect: refused('unknown path'),
      proves,
    };
  });
  const head: Case = {
    family,
    title: `HEAD ${path}`,
    operation,
    request: { ...request, method: 'HEAD' },
    expect: accepted,
    proves: [protocolKey(operation, 'HEAD of GET')],
  };
  return [...methods, ...paths, ...(answersHead ? [head] : []), ...acceptCases(context)];
}

/** What a client may ask for of the media types of an answer (RFC 9110 section 12.5.1). */
function acceptCases(context: Context): Case[] {
  const { operation, target } = context;
  const names = acceptable(operation);
  if (names.length === 0) return [];
  const asking = (field: string, expect: Case['expect']): Case => ({
    family: 'media types',
    title: `Accept: ${field}`,
    operation,
    request: withHeader(authorised(context), 'Accept', field),
    expect,
    proves: [protocolKey(operation, 'what is accepted')],
  });
  const last = names.at(-1) ?? '';
  return [
    ...names.map((name) => asking(name, { ...accepted, media: name })),
    asking(`application/x-undocumented, ${last};q=0.1`, { ...accepted, media: last }),
    ...(names.length > 1
      ? [asking(`${names[0] ?? ''};q=0.1, ${last};q=0.9`, { ...accepted, media: last })]
      : []),
    asking('*/*', accepted),
    ...(target.refusals['not acceptable'] === undefined
      ? []
      : [asking('application/x-undocumented', refused('not acceptable'))]),
  ];
}

/** Paths that a lenient router takes for the given one. */
function nearMisses(path: string): string[] {
  const letter = /[a-z]/i.exec(path);
  const swapped =
    letter?.[0] === letter?.[0].toUpperCase() ? letter?.[0].toLowerCase() : letter?.[0].toUpperCase();
  const at = letter?.index ?? 0;
  return [
    `${path}/`,
    `/${path}`,
    `${path}//`,
    `${path}/undocumented`,
    `${path}x`,
    `${path}%20`,
    `${path};a=b`,
    `/.${path}`,
    `/undocumented/..${path}`,
    '/',
    ...(letter
      ? [
          path.slice(0, at) + (swapped ?? '') + path.slice(at + 1),
          `${path.slice(0, at)}%${letter[0].charCodeAt(0).toString(16)}${path.slice(at + 1)}`,
        ]
      : []),
  ];
}
