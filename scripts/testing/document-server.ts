import { bundle, createConfig } from '@redocly/openapi-core';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  type Answer,
  type DocumentedScheme,
  type ServiceOptions,
  type Strategies,
  securitySchemes,
  strategiesFor,
  TokenStrategy,
} from 'contract-first-server';
import { OpenApiDocument } from 'contract-first-server/tools';
import {
  asString,
  codecOf,
  JSON_DATA,
  createOracle,
  type Document,
  type JsonObject,
  type Operation,
  type Oracle,
  readDocument,
  type Received,
  type Response,
  samples,
  type Server,
  type Target,
  toJavaScript,
} from 'contract-first-prover';
import { BODY_LIMIT, listen, readBody, refusalsOf } from 'contract-first-prover/service';
import { plainRefusal, renderPlain } from './plain-errors';
import { buildService, withRefusals } from './service';

/** API keys in the header Authorization follow a word. */
const PREFIXED = { valid: 'Token good-token', invalid: 'Token bad-token' };
const hasPrefix = ({ type, name }: JsonObject): boolean => type === 'apiKey' && name === 'Authorization';
const SECRETS = { valid: 'somebody:good', invalid: 'somebody:bad' };
/** A token with exactly these scopes. */
const scoped = (scopes: readonly string[]): string =>
  `scoped-${Buffer.from(scopes.join(' ')).toString('hex')}`;
const TOKENS = {
  valid: 'good-token',
  invalid: 'bad-token',
  insufficient: (scopes: readonly string[]) => [
    scoped([]),
    scoped(['other']),
    scoped([`${scopes.join(' ')}x`]),
    ...scopes.map((missing) => scoped(scopes.filter((scope) => scope !== missing))),
  ],
};

/** The documents of scripts/testing/documents. */
export const DOCUMENTS = [
  'accept.yaml',
  'cookies.yaml',
  'defaults.yaml',
  'discriminator.yaml',
  'files.yaml',
  'media-parameters.yaml',
  'path-items.yaml',
  'prototype-names.yaml',
  'siblings.yaml',
  'streams.yaml',
  'bookshop/openapi.yaml',
  'collections.yaml',
  'composition.yaml',
  'events.yaml',
  'media.yaml',
  'numbers.yaml',
  'one-way.yaml',
  'one-way-applied.yaml',
  'openapi-3-2.yaml',
  'parameters.yaml',
  'scopes.yaml',
  'security.yaml',
  'strings.yaml',
  'uploads.yaml',
  'brackets.yaml',
];

/** Reads a document of scripts/testing/documents and bundles its files. */
export async function readFiles(name: string): Promise<JsonObject> {
  const ref = join(__dirname, 'documents', name);
  if (!name.includes('/')) return parse(readFileSync(ref, 'utf8')) as JsonObject;
  const { bundle: bundled } = await bundle({ ref, config: await createConfig({}) });
  return bundled.parsed as JsonObject;
}

/** The parts of the server under test. scripts/mutants replaces one of them by a broken one. */
export interface Parts {
  /** The document of the server. The prover uses the original document. */
  readonly served: JsonObject;
  readonly strategies: Strategies;
  /** The secrets that the strategies accept. */
  readonly credentials: Target['credentials'];
  /** Runs before each handler, and records its input for the prover. */
  readonly pass: (request: Received) => Received;
  /** Changes what handlers answer. */
  readonly answer: (answer: Answer, request: Received) => Answer;
  /** Wraps the application in the HTTP server. */
  readonly wrap: (application: RequestListener) => RequestListener;
}

/** A service for any document as a target of the prover. Its handlers return samples of the response schemas. */
export function serviceOf(given: JsonObject, changed: Partial<Parts> = {}): Target {
  const json = withRefusals(given) as JsonObject;
  const document = readDocument(json);
  const schemes = Object.entries(document.schemes);
  let received: Received | undefined;
  const parts: Parts = {
    served: json,
    strategies: strategiesOf(json),
    credentials: Object.fromEntries(
      schemes.map(([name, scheme]) => [
        name,
        isBasic(scheme) ? SECRETS : hasPrefix(scheme) ? PREFIXED : TOKENS,
      ]),
    ),
    pass: (request) => request,
    answer: (answer) => answer,
    wrap: (application) => application,
    ...changed,
  };
  const start = (answer: (operation: Operation) => Answer): Promise<Server> =>
    startServer(document, parts, (operation, request) => {
      received = parts.pass(request);
      return parts.answer(answer(operation), request);
    });
  return {
    document: json,
    received: () => received,
    start: () => start(responder(document)),
    credentials: parts.credentials,
    bodyLimit: BODY_LIMIT,
    refusals: refusalsOf(plainRefusal),
    situations: {
      '500': () =>
        start(() => {
          throw new Error('a secret cause');
        }),
    },
    waivers: [],
  };
}

const isBasic = (scheme: JsonObject): boolean => asString(scheme['scheme']).toLowerCase() === 'basic';

/** Returns the first documented success of an operation, each time with another body that was generated at startup. */
function responder(document: Document): (operation: Operation) => Answer {
  const oracle = createOracle(document.responses);
  const answers = new Map(
    document.operations.map((operation) => [operation, answersOf(document, oracle, operation)]),
  );
  let asked = 0;
  return (operation) => {
    const known = answers.get(operation) ?? [];
    return known[asked++ % known.length] ?? { status: 204 };
  };
}

function answersOf(document: Document, oracle: Oracle, { id, responses }: Operation): Answer[] {
  const response = responses.find(({ status }) => /^2|^default$/.test(status));
  if (!response) throw new Error(`expected ${id} to document a success, it documents none`);
  const status = /^\d{3}$/.test(response.status) ? Number(response.status) : 200;
  // Values have the types of the document. The server writes them to the wire.
  const headers = Object.fromEntries(
    response.headers.map(({ name, schema }) => [
      name,
      schema === undefined ? 'x' : sampled(document, oracle, schema)[0],
    ]),
  ) as Answer['headers'];
  const [media] = response.content;
  if (!media) return [{ status, headers, body: undefined }];
  // The request selects one of several media types.
  const chosen = response.content.length > 1 ? {} : { contentType: media.name };
  return bodiesOf(document, oracle, media).map((body) => ({ status, headers, body, ...chosen }));
}

function bodiesOf(
  document: Document,
  oracle: Oracle,
  { name, schema, items }: Response['content'][number],
): readonly unknown[] {
  if (items !== undefined) return [itemsOf(sampled(document, oracle, items, 6))];
  if (codecOf(name) === 'binary') return [Buffer.from([1, 2, 3])];
  if (schema === undefined) return ['anything'];
  return codecOf(name) === 'json'
    ? [...sampled(document, oracle, schema), ...secretive(document, schema)]
    : sampled(document, oracle, schema).slice(0, 1);
}

/** A stream of items, each with a property that the document does not list. */
function itemsOf(items: readonly unknown[]): AsyncIterable<unknown> {
  const given = items.map((item) => {
    const { [JSON_DATA]: data, ...rest } = item as Record<string, unknown>;
    return { ...rest, ...(data !== undefined && { data }), unlisted: true };
  });
  return {
    async *[Symbol.asyncIterator]() {
      for (const one of given) yield await Promise.resolve(one);
    },
  };
}

function sampled({ responses }: Document, oracle: Oracle, schema: string, most = 2): unknown[] {
  const values = (['all', 'any', 'required'] as const).flatMap((mode) =>
    samples(responses, oracle, schema, mode, 20),
  );
  if (values.length === 0) throw new Error(`expected a value that fits ${schema}, found none`);
  return values.slice(0, most).map(toJavaScript);
}

/** Values with their `writeOnly` properties, which handlers may return and responses must not contain. */
function secretive({ json }: Document, schema: string): unknown[] {
  const text = JSON.stringify(json);
  const unmarked = JSON.parse(text.replaceAll('"writeOnly":true', '"writeOnly":false')) as JsonObject;
  if (!text.includes('"writeOnly":true')) return [];
  const schemas = { json: unmarked, direction: 'response' } as const;
  const oracle = createOracle(schemas);
  return (['all', 'any'] as const)
    .flatMap((mode) => samples(schemas, oracle, schema, mode, 6))
    .map(toJavaScript);
}

/** Accepts the valid secret of the tests with all scopes, and the tokens that name their scopes. */
function strategiesOf(json: JsonObject): Strategies {
  const verify = (secret: string, { value, scopes }: Pick<DocumentedScheme, 'value' | 'scopes'>) => {
    if (secret === (isBasic(value as JsonObject) ? SECRETS : TOKENS).valid) return { secret, scopes };
    const narrow = /^scoped-([\da-f]*)$/.exec(secret)?.[1];
    return narrow !== undefined && { secret, scopes: Buffer.from(narrow, 'hex').toString().split(' ') };
  };
  const document = new OpenApiDocument(json);
  const prefixed = securitySchemes(document)
    .filter(({ value }) => hasPrefix(value as JsonObject))
    .map((one) => [one.name, new TokenStrategy((token) => verify(token, one), { prefix: 'Token' })]);
  return { ...strategiesFor(document, verify), ...(Object.fromEntries(prefixed) as Strategies) };
}

function startServer(
  document: Document,
  { served, strategies, wrap }: Parts,
  answer: (operation: Operation, request: Received) => Answer,
): Promise<Server> {
  let entered = 0;
  const handlers = document.operations.map((operation) => [
    operation.id,
    async (request: Received) => {
      const read = await readBody(request);
      entered += 1;
      return answer(operation, read?.seen ?? request);
    },
  ]);
  const { app } = buildService({
    document: structuredClone(served),
    handlers: Object.fromEntries(handlers) as ServiceOptions['handlers'],
    strategies,
    bodyLimit: BODY_LIMIT,
  });
  return listen(app, { entered: () => entered, reset: () => undefined }, renderPlain, wrap);
}
