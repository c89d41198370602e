import { curlCommand, exampleRequest, messageOf } from '../../contract';
import { mayFindNothing, type OpenApiDocument, readOperations } from '../../contract/tools';
import type { Credentials } from './credentials';

/** The message of a server that has started: where it is, and the page on which a person can try it. */
export const startLine = (address: string): string =>
  `listening on ${address} (documentation: ${address}/-/docs)`;

/** The first request of a person who tries the server; none that would find nothing on a server without data. */
function firstRequest(document: OpenApiDocument) {
  const operations = readOperations(document).filter((operation) => !mayFindNothing(operation));
  return exampleRequest(document, operations);
}

/** A message for a server whose secrets are configured: a curl command, in which SECRET stands for one of them. */
export function firstCommand(document: OpenApiDocument, address: string): string | undefined {
  const request = firstRequest(document);
  if (!request) return undefined;
  const hint = request.credentials.length > 0 ? ', with a secret of yours in place of SECRET' : '';
  return `\nTry it${hint}:\n\n  ${curlCommand(address, messageOf(request, 'SECRET'))}\n`;
}

/** A message for a server with generated secrets: a curl command that works as printed, and the secrets that it lacks. */
export function invitation(
  document: OpenApiDocument,
  address: string,
  generated: Credentials<Record<string, never>>['generated'],
): string {
  const variables = [...new Set([...generated.values()].map(({ variable }) => variable))];
  const given = `${variables.join(' and ')} ${variables.length === 1 ? 'is' : 'are'} not set. The server accepts generated secrets until it stops.`;
  const request = firstRequest(document);
  const used = request?.credentials ?? [];
  const isWhole = used.length > 0 && used.every(({ scheme }) => generated.has(scheme));
  const shown = new Set(isWhole ? used.map(({ scheme }) => generated.get(scheme)?.credential) : []);
  const others = [...generated].filter(([, { credential }]) => !shown.has(credential));
  const lines = others.map(([scheme, { credential }]) => `  ${scheme}: ${credential}`);
  const command =
    request && isWhole
      ? curlCommand(
          address,
          messageOf(request, (scheme) => generated.get(scheme)?.credential),
        )
      : undefined;
  return [
    '',
    `${given} Try${command === undefined ? ` it on ${address}/-/docs` : ''}:`,
    '',
    ...(command === undefined ? [] : [`  ${command}`, '']),
    ...(lines.length > 0 ? [...lines, ''] : []),
  ].join('\n');
}
