/** What the page changes in the contract before Swagger UI reads it. */

import { essence, streamed } from './streams.mjs';

/** The URL of the server of this page, without a slash at its end: a proxy may have put a prefix before `/-/`. */
export const BASE = location.href.replace(/\/-\/docs(?:[?#].*)?$/, '');

/** The authority of the URL of a Server Object, which may have variables. */
const AUTHORITY = /^(?:(?:[^/?#{}]|\{[^{}]*\})*:)?\/\/(?:[^/?#{}]|\{[^{}]*\})*/;

/**
 * A Server Object as this server has it. Of variables without an enum, and of those that stand for an authority, the server
 * serves the default.
 */
function ownServer({ url, variables = {} }) {
  const filled = url.replace(/\{([^{}]*)\}/g, (text, name) => {
    const { default: usual = '', enum: values } = variables[name] ?? {};
    return values && !String(usual).includes('//') ? text : usual;
  });
  const path = filled.replace(AUTHORITY, '').replace(/^(?:\.{0,2}\/)+|[?#].*$/g, '');
  return { url: `${BASE}/${path}`, variables, description: 'this server' };
}

/** Puts the server of this page before those of the document. */
function ownFirst(servers) {
  const all = [
    ...servers.map(ownServer),
    ...servers.filter(({ url }) => AUTHORITY.test(url) || /^\{/.test(url)),
  ];
  return all.filter(({ url }, index) => all.findIndex((one) => one.url === url) === index);
}

/** Shows what Swagger UI does not know: lists as the schemas of streams, shared media types, and what cannot be sent. */
function prepare(node, mediaTypes) {
  for (const [type, given] of Object.entries(node.content ?? {})) {
    let media = given;
    while (media?.$ref?.includes('/components/mediaTypes/')) media = mediaTypes[media.$ref.split('/').pop()];
    const items = media?.itemSchema ?? media?.['x-item-schema'];
    if (items) streamed.add(essence(type));
    node.content[type] = items ? { ...media, schema: { type: 'array', items } } : media;
  }
  if (node.trace?.responses)
    node.trace.description = `A browser cannot send TRACE. ${node.trace.description ?? ''}`;
  for (const value of Object.values(node)) if (value && typeof value === 'object') prepare(value, mediaTypes);
}

/** Changes the contract in place. */
export function prepareContract(contract) {
  prepare(contract, contract.components?.mediaTypes ?? {});
  if (!contract.servers?.length) contract.servers = [{ url: '/' }];
  const items = Object.values(contract.paths ?? {});
  const operations = items.flatMap((item) => [
    ...Object.values(item),
    ...Object.values(item.additionalOperations ?? {}),
  ]);
  for (const one of [contract, ...items, ...operations])
    if (one?.servers?.length) one.servers = ownFirst(one.servers);
}
