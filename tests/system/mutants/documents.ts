import { Strategy } from 'passport';
import type { Parts } from '../../http/document-server';
import type { Family } from '../../../scripts/prove/cases/case';
import { type Json, type JsonObject, asObject } from '../../../scripts/prove/json/tree';
import { answer, body, request } from './parts';
import { FailsOpen } from './security';

/** The service of a document of the tests, with one fault that no deletion of a keyword makes. */
export interface DocumentMutant {
  readonly document: string;
  readonly name: string;
  readonly families: readonly Family[];
  readonly parts: (document: JsonObject) => Partial<Parts>;
}

/** The document with each of its security requirements changed. */
function requirements(document: JsonObject, change: (scopes: Json) => Json): Partial<Parts> {
  const copy = structuredClone(document);
  const visit = (node: Json): void => {
    if (Array.isArray(node)) node.forEach(visit);
    if (node === null || typeof node !== 'object' || Array.isArray(node)) return;
    for (const requirement of Array.isArray(node['security']) ? node['security'].map(asObject) : []) {
      for (const [scheme, scopes] of Object.entries(requirement)) requirement[scheme] = change(scopes);
    }
    Object.values(node).forEach(visit);
  };
  visit(copy);
  return { served: copy };
}

const renamed = (document: JsonObject, from: string, to: string): Partial<Parts> => ({
  served: JSON.parse(JSON.stringify(document).replaceAll(from, to)) as JsonObject,
});

/** Takes whatever comes for somebody. */
class Anybody extends Strategy {
  override authenticate(): void {
    this.success({ scopes: SCOPES });
  }
}

/** Those of scopes.yaml. */
const SCOPES = ['read', 'admin:write', 'profile', 'gardener', 'owner'];
const strategies = (make: (scheme: string) => Strategy): Parts['strategies'] =>
  Object.fromEntries(['oauth', 'openId', 'bearer', 'key'].map((name) => [name, make(name)]));

const given = (
  document: string,
  families: readonly Family[],
  name: string,
  parts: Partial<Parts> | ((document: JsonObject) => Partial<Parts>),
): DocumentMutant => ({
  document,
  name,
  families,
  parts: typeof parts === 'function' ? parts : () => parts,
});

/** Hands every number to a database whose columns hold 64 bits. */
function assertInt64(value: unknown): void {
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) > 2 ** 63)
    throw new RangeError('a number is out of range');
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(assertInt64);
}

export const documents: readonly DocumentMutant[] = [
  ...['numbers.yaml', 'collections.yaml', 'defaults.yaml'].map((name) =>
    given(name, ['valid'], 'numbers are passed to a database unchecked', {
      pass: (received) => {
        assertInt64(received);
        return received;
      },
    }),
  ),
  given('scopes.yaml', ['security'], 'scopes are ignored', (document) => requirements(document, () => [])),
  given('scopes.yaml', ['security'], 'of the scopes the first is enough', (document) =>
    requirements(document, (scopes) => (Array.isArray(scopes) ? scopes.slice(0, 1) : [])),
  ),
  given('scopes.yaml', ['security'], 'keys are not verified', {
    strategies: strategies(() => new Anybody()),
  }),
  given('scopes.yaml', ['security'], 'a verifier that gives undefined lets in', {
    strategies: strategies(
      (name) =>
        new FailsOpen(
          (secret) => (secret === 'good-token' ? { scopes: SCOPES } : undefined),
          name === 'key' ? undefined : 'Bearer',
        ),
    ),
  }),
  ...Object.entries({ POST: 'what a path item refers to', GET: 'what stands beside a reference' }).map(
    ([method, what]) =>
      given(
        'path-items.yaml',
        ['baseline'],
        `${what} is not served`,
        request((incoming) => {
          if (incoming.method === method) incoming.url = '/nowhere';
        }),
      ),
  ),
  given(
    'scopes.yaml',
    ['security'],
    'the challenge does not name the scopes',
    answer(({ status, headers }) => {
      if (status === 403) headers['WWW-Authenticate'] = 'Bearer error="insufficient_scope"';
    }),
  ),
  given('siblings.yaml', ['valid', 'constraints'], 'parameters of one segment are confused', (document) =>
    renamed(document, '{z}-{x}', '{x}-{z}'),
  ),
  given('siblings.yaml', ['valid', 'constraints'], 'a parameter has the name of a sibling', {
    pass: ({ path = {}, ...rest }) => {
      const { userId, ...others } = path;
      return { ...rest, path: userId === undefined ? others : { ...others, id: userId } };
    },
  }),
  given(
    'media-parameters.yaml',
    ['media types'],
    'parameters of media types are ignored',
    request((incoming) => {
      const [essence] = (incoming.headers['content-type'] ?? '').split(';');
      if (essence === 'application/json') incoming.headers['content-type'] = 'application/json; version=1';
    }),
  ),
  given(
    'accept.yaml',
    ['media types'],
    'Accept is ignored',
    request(({ headers }) => delete headers.accept),
  ),
  given(
    'accept.yaml',
    ['media types'],
    'of what is accepted the first counts',
    request((incoming) => {
      const { accept } = incoming.headers;
      if (accept !== undefined) incoming.headers.accept = accept.split(/[,;]/)[0] ?? '';
    }),
  ),
  given(
    'accept.yaml',
    ['methods and paths'],
    'HEAD is not answered',
    request((incoming) => {
      if (incoming.method === 'HEAD') incoming.method = 'PROPFIND';
    }),
  ),
  given(
    'prototype-names.yaml',
    ['valid', 'constraints'],
    'a property of the name constructor is lost',
    body((text) => text.replaceAll('"constructor"', '"konstructor"')),
  ),
  given('prototype-names.yaml', ['baseline', 'valid'], 'what every object has is taken for a property', {
    pass: (received) => ({ ...received, query: { toString: 'function', ...received.query } }),
  }),
  given('defaults.yaml', ['baseline', 'valid'], 'defaults of parameters are not filled in', {
    pass: ({ query, ...rest }) => ({ ...rest, query: { keyword: query?.['keyword'] } }),
  }),
  given('collections.yaml', ['valid'], 'unlisted properties are passed on', {
    pass: ({ body: value, ...rest }) => ({ ...rest, body: { ...(value as object), unlisted: ['whatever'] } }),
  }),
  given(
    'cookies.yaml',
    ['baseline'],
    'of two cookies one is sent',
    answer(() => undefined),
  ),
  given(
    'discriminator.yaml',
    ['baseline', 'valid'],
    'a subtype loses its own properties',
    answer((sent) => {
      if (sent.status === 200) sent.body = sent.body.replace(/,"(?:packSize|side)":[^,}]+/, '');
    }),
  ),
];
