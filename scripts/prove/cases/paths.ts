import { matchesPath } from '../document/model';
import { withoutBody } from '../wire/message';
import {
  authorizedRequest,
  type Case,
  expectRefusal,
  expectSuccess,
  type OperationContext,
  protocolCase,
} from './case';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

/** Requests with methods and paths that the document does not contain, and HEAD where it contains GET. */
export function methodAndPathCases(context: OperationContext): Case[] {
  const { document, operation, target } = context;
  const request = authorizedRequest(context);
  const [path = '', query] = request.target.split('?');
  const suffix = query === undefined ? '' : `?${query}`;
  const documented = document.operations
    .filter((other) => other.path === operation.path)
    .map(({ method }) => method);
  const isUndocumented = (method: string): boolean =>
    !documented.includes(method) &&
    !(method === 'HEAD' && documented.includes('GET')) &&
    // RFC 9110 section 9.3.7: any resource may answer OPTIONS.
    !(method === 'OPTIONS' && target.profile === 'document') &&
    // An undocumented operation of a black box may exist, and remove what does not belong to the run.
    !(target.blackBox && target.blackBox.writeAll !== true && ['PUT', 'PATCH', 'DELETE'].includes(method));
  const answersHead = operation.method === 'GET' && !documented.includes('HEAD');
  return [
    ...METHODS.filter(isUndocumented).map((method) =>
      protocolCase(
        context,
        'methods and paths',
        'undocumented methods',
        `${method} ${path}`,
        withoutBody({ ...request, method }),
        expectRefusal('method not allowed'),
      ),
    ),
    ...nearMisses(path)
      .filter((candidate) => !matchesPath(document, candidate))
      .map((candidate) =>
        protocolCase(
          context,
          'methods and paths',
          'near-miss paths',
          `${operation.method} ${candidate}`,
          { ...request, target: candidate + suffix },
          expectRefusal('not found'),
        ),
      ),
    ...unknownPaths(path)
      .filter((candidate) => !matchesPath(document, candidate))
      .slice(0, 1)
      .map((candidate) =>
        protocolCase(
          context,
          'methods and paths',
          'unknown path',
          `${operation.method} ${candidate}`,
          { ...request, target: candidate + suffix },
          expectRefusal('not found'),
        ),
      ),
    ...(answersHead
      ? [
          protocolCase(
            context,
            'methods and paths',
            'HEAD of GET',
            `HEAD ${path}`,
            { ...request, method: 'HEAD' },
            expectSuccess,
          ),
        ]
      : []),
  ];
}

/** Paths that nobody means. */
const unknownPaths = (path: string): string[] =>
  ['/undocumented-4f1c', '/undocumented-4f1c/4f1c', '/undocumented/4f1c/4f1c/4f1c'].map(
    (rest) => path + rest,
  );

/** Paths that a lenient router treats as the given one. */
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
