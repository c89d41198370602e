import type { ProtocolScenario } from '../obligation';
import { pathOf, withoutBody, withPath } from '../wire/message';
import {
  authorizedRequest,
  type Case,
  type Expectation,
  expectRefusal,
  expectSuccess,
  type OperationContext,
  protocolCases,
} from './case';
import { matchesPath } from '../document/model';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

/** Requests with methods and paths that the document does not contain, and HEAD where it contains GET. */
export function methodAndPathCases(context: OperationContext): Case[] {
  const { document, operation, target } = context;
  const request = authorizedRequest(context);
  const path = pathOf(request);
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
  const make = protocolCases(context, 'methods and paths');
  const byMethod = (scenario: ProtocolScenario, method: string, expect: Expectation): Case =>
    make(scenario, `${method} ${path}`, { ...request, method }, expect);
  const byPath = (scenario: ProtocolScenario, paths: readonly string[]): Case[] =>
    paths
      .filter((candidate) => !matchesPath(document, candidate))
      .map((candidate) => {
        const title = `${operation.method} ${candidate}`;
        return make(scenario, title, withPath(request, candidate), expectRefusal('not found'));
      });
  return [
    ...METHODS.filter(isUndocumented)
      .map((method) => byMethod('undocumented methods', method, expectRefusal('method not allowed')))
      .map((sent) => ({ ...sent, request: withoutBody(sent.request) })),
    ...byPath('near-miss paths', nearMisses(path)),
    ...byPath('unknown path', unknownPaths(path)).slice(0, 1),
    ...(operation.method === 'GET' && !documented.includes('HEAD')
      ? [byMethod('HEAD of GET', 'HEAD', expectSuccess)]
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
  const [letter] = /[a-z]/i.exec(path) ?? [];
  const swap = (text: string): string =>
    text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();
  const encode = (text: string): string => `%${text.charCodeAt(0).toString(16)}`;
  return [
    ...['/', '//', '/undocumented', 'x', '%20', ';a=b'].map((end) => path + end),
    ...['/', '/.', '/undocumented/..'].map((start) => start + path),
    '/',
    ...(letter === undefined ? [] : [swap, encode].map((change) => path.replace(letter, change))),
  ];
}
