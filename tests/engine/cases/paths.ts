import { matchesTemplate } from '../document/document';
import { protocolKey } from '../obligations';
import {
  expectSuccess,
  authorizedRequest,
  withoutBody,
  type Case,
  type OperationContext,
  expectRefusal,
} from './case';
import { acceptCases } from './media-types';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

/** Methods and paths that the document does not have. */
export function methodAndPathCases(context: OperationContext): Case[] {
  const { document, operation } = context;
  const request = authorizedRequest(context);
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
    const bare = withoutBody({ ...request, method });
    const proves = [protocolKey(operation, 'undocumented methods')];
    return {
      family,
      title: `${method} ${path}`,
      operation,
      request: bare,
      expect: expectRefusal('unknown method'),
      proves,
    };
  });
  const misses = nearMisses(path).filter((candidate) => !matchesTemplate(document, candidate));
  const paths = misses.map((candidate): Case => {
    const proves = [protocolKey(operation, 'near-miss paths')];
    const missed = { ...request, target: candidate + suffix };
    return {
      family,
      title: `${operation.method} ${candidate}`,
      operation,
      request: missed,
      expect: expectRefusal('unknown path'),
      proves,
    };
  });
  const head: Case = {
    family,
    title: `HEAD ${path}`,
    operation,
    request: { ...request, method: 'HEAD' },
    expect: expectSuccess,
    proves: [protocolKey(operation, 'HEAD of GET')],
  };
  return [...methods, ...paths, ...(answersHead ? [head] : []), ...acceptCases(context)];
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
