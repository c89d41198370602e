import type { Findings } from './finding';
import { joinPointer, isObject, type JsonObject } from './json-pointer';

interface Document extends Findings {
  at(pointer: string): unknown;
}

/** How many base paths a server may have by the values of its variables. */
const MAX_BASE_PATHS = 100;
const AUTHORITY = /^(?:(?:[^/?#{}]|\{[^{}]*\})*:)?\/\/(?:[^/?#{}]|\{[^{}]*\})*/;
const VARIABLE = /\{([^{}]*)\}/g;

/**
 * The base paths of the first of these lists of servers that has any, then of those of the document (OpenAPI 3.1 section
 * 4.8.5).
 */
export function basePathsOf(document: Document, lists: readonly (string | undefined)[]): string[] {
  for (const pointer of [...lists, '/servers']) {
    const servers = pointer === undefined ? undefined : document.at(pointer);
    if (pointer === undefined || !Array.isArray(servers) || servers.length === 0) continue;
    const paths = servers.flatMap((server, i) =>
      isObject(server) ? basePaths(document, server, joinPointer(pointer, i)) : [],
    );
    return [...new Set(paths)];
  }
  return [''];
}

/**
 * The path of the URL of a Server Object without a slash at its end, one for each combination of the values of its
 * variables (OpenAPI 3.1 sections 4.8.5 and 4.8.6). Variables of the scheme and the authority make no difference to it.
 */
function basePaths(document: Findings, server: JsonObject, pointer: string): string[] {
  const url = String(server['url']);
  const authority = AUTHORITY.exec(url)?.[0] ?? '';
  const fixed = authority.replace(
    VARIABLE,
    (_, name: string) => valuesOf(document, server, pointer, name).at(0) ?? '',
  );
  let urls = [fixed];
  let end = authority.length;
  for (const match of url.slice(authority.length).matchAll(VARIABLE)) {
    const values = valuesOf(document, server, pointer, match[1] ?? '');
    const before = url.slice(end, authority.length + match.index);
    end = authority.length + match.index + match[0].length;
    remarkOpen(document, server, pointer, match[1] ?? '');
    urls = urls.flatMap((start) => values.map((value) => start + before + value));
    if (urls.length <= MAX_BASE_PATHS) continue;
    const message = `its variables have more than ${MAX_BASE_PATHS} combinations of values`;
    document.addFinding(joinPointer(pointer, 'url'), message);
    return [];
  }
  return urls.flatMap((start) => pathOf(document, start + url.slice(end), pointer) ?? []);
}

function pathOf(document: Findings, url: string, pointer: string): string | undefined {
  try {
    const { pathname, search, hash } = new URL(url, 'http://localhost/');
    if (search !== '' || hash !== '') {
      const message = `${search}${hash} is not part of a base path`;
      document.addRemark({ pointer: joinPointer(pointer, 'url'), message, keyword: 'Server url' });
    }
    return pathname.replace(/\/$/, '');
  } catch {
    document.addFinding(joinPointer(pointer, 'url'), `${JSON.stringify(url)} is not a URL`);
    return undefined;
  }
}

/** The values of a variable, the default first. */
function valuesOf(document: Findings, server: JsonObject, pointer: string, name: string): string[] {
  const variable = variableOf(server, name);
  if (!isObject(variable)) {
    document.addFinding(
      joinPointer(pointer, 'url'),
      `names the variable ${name}, which the server does not describe`,
    );
    return [];
  }
  const { default: usual, enum: values } = variable;
  if (!Array.isArray(values)) return [String(usual)];
  if (!values.includes(usual)) {
    document.addFinding(
      joinPointer(pointer, 'variables', name, 'default'),
      'is not among the values of its enum',
    );
  }
  return [...new Set([String(usual), ...values.map(String)])];
}

function remarkOpen(document: Findings, server: JsonObject, pointer: string, name: string): void {
  const variable = variableOf(server, name);
  if (!isObject(variable) || Array.isArray(variable['enum'])) return;
  document.addRemark({
    pointer: joinPointer(pointer, 'variables', name),
    message: `has no enum: only its default, ${JSON.stringify(variable['default'])}, is served`,
    keyword: 'Server variables',
  });
}

function variableOf({ variables }: JsonObject, name: string): unknown {
  return isObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
}
