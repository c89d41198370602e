import { join } from 'node:path';
import { bundle, createConfig } from '@redocly/openapi-core';
import { Strategy } from 'passport';
import { OpenApiDocument } from '../../src/contract/document';
import { readOperations } from '../../src/contract/operations';
import type { Answer } from '../../src/contract/problem';
import type { Credentials, Strategies } from '../../src/contract/security';
import type { ServiceOptions } from '../../src/contract/serve';
import { plainRefusal, renderPlain } from '../support/plain-errors';
import { buildService } from '../support/service';
import { readDocument, type Document, type Operation, type Response } from './engine/document';
import { Literal, toInteger, word, type JsonObject, type Value } from './engine/json';
import { createOracle, type Oracle } from './engine/oracle';
import { codec } from './engine/request';
import type { Received, Server, Target } from './engine/target';
import { samples } from './engine/values';
import { listen } from './listen';
import { BODY_LIMIT, refusalsOf } from './refusals';

const SECRETS = { valid: 'somebody:good', invalid: 'somebody:bad' };
const TOKENS = { valid: 'good-token', invalid: 'bad-token' };

/** The documents of tests/contract/documents. */
export const DOCUMENTS = [
  'bookshop/openapi.yaml',
  'collections.yaml',
  'composition.yaml',
  'events.yaml',
  'media.yaml',
  'numbers.yaml',
  'one-way.yaml',
  'parameters.yaml',
  'security.yaml',
  'strings.yaml',
];

/** Reads a document of tests/contract/documents, its files in one piece. */
export async function readFiles(name: string): Promise<JsonObject> {
  const ref = join(__dirname, 'documents', name);
  const { bundle: bundled } = await bundle({ ref, config: await createConfig({}) });
  return bundled.parsed as JsonObject;
}

/** What the server under test is made of; scripts/mutants replaces a part by a broken one. */
export interface Parts {
  /** The document that the server is given. The engine judges by the true one. */
  readonly served: JsonObject;
  /** Is shown what each handler is given. */
  readonly given: (request: Received) => void;
}

/** A service for any document, as the engine sees it: its handlers answer with values sampled from the response schemas. */
export function serviceOf(json: JsonObject, changed: Partial<Parts> = {}): Target {
  const document = readDocument(json);
  const oracle = createOracle(document.responses);
  const schemes = Object.entries(document.schemes);
  let received: Received | undefined;
  const parts: Parts = {
    served: json,
    given: (request) => {
      received = request;
    },
    ...changed,
  };
  return {
    document: json,
    received: () => received,
    start: () => startServer(document, parts, (operation) => respond(document, oracle, operation)),
    credentials: Object.fromEntries(
      schemes.map(([name, scheme]) => [name, isBasic(scheme) ? SECRETS : TOKENS]),
    ),
    bodyLimit: BODY_LIMIT,
    refusals: refusalsOf(plainRefusal),
    situations: {
      '500': () =>
        startServer(document, parts, () => {
          throw new Error('a secret cause');
        }),
    },
    waivers: [],
  };
}

const isBasic = (scheme: JsonObject): boolean => word(scheme['scheme']).toLowerCase() === 'basic';

/** The first documented success of an operation, made up. */
function respond(document: Document, oracle: Oracle, { id, responses }: Operation): Answer {
  const response = responses.find(({ status }) => /^2|^default$/.test(status));
  if (!response) throw new Error(`expected ${id} to document a success, it documents none`);
  const status = /^\d{3}$/.test(response.status) ? Number(response.status) : 200;
  // Typed as the document types them; what stands on the wire is the server's business.
  const headers = Object.fromEntries(
    response.headers.map(({ name, schema }) => [
      name,
      schema === undefined ? 'x' : sampled(document, oracle, schema),
    ]),
  ) as Answer['headers'];
  const [media] = response.content;
  if (!media) return { status, headers, body: undefined };
  return { status, headers, body: bodyOf(document, oracle, media), contentType: media.name };
}

function bodyOf(document: Document, oracle: Oracle, { name, schema }: Response['content'][number]): unknown {
  if (codec(name) === 'binary') return Buffer.from([1, 2, 3]);
  return schema === undefined ? 'anything' : sampled(document, oracle, schema);
}

function sampled({ responses }: Document, oracle: Oracle, schema: string): unknown {
  const [value] = samples(responses, oracle, schema, 'all', 20);
  if (value === undefined) throw new Error(`expected a value that fits ${schema}, found none`);
  return toJavaScript(value);
}

/** The value as a handler returns it: integers that a double may not hold as bigint. */
function toJavaScript(value: Value): unknown {
  if (value instanceof Literal) {
    const integer = toInteger(value.text);
    return integer === undefined || Number.isSafeInteger(Number(integer)) ? Number(value.text) : integer;
  }
  if (Array.isArray(value)) return value.map(toJavaScript);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, member]) => [key, toJavaScript(member)]));
  return value;
}

/** Accepts the one secret that the tests call valid, however its scheme writes it. */
class Known extends Strategy {
  constructor(
    private readonly challenge: string | undefined,
    private readonly accepted: readonly string[],
    private readonly scopes: readonly string[],
  ) {
    super();
  }

  override authenticate(given: object): void {
    const { headers, apiKey = '' }: Credentials = given as Credentials;
    const secret = headers.authorization?.split(' ')[1] ?? apiKey;
    if (this.accepted.includes(secret)) this.success({ secret, scopes: this.scopes });
    else if (this.challenge === undefined) this.fail(undefined, 401);
    else
      this.fail(
        secret === '' || this.challenge === 'Basic'
          ? this.challenge
          : `${this.challenge} error="invalid_token"`,
      );
  }
}

/** Credentials that are accepted hold every scope that the document demands of their scheme. */
function strategiesOf({ json, schemes }: Document): Strategies {
  const demanded = readOperations(new OpenApiDocument(json)).flatMap(({ security }) => security.flat());
  return Object.fromEntries(
    Object.entries(schemes).map(([name, scheme]) => {
      const scopes = demanded.flatMap((one) => (one.scheme === name ? one.scopes : []));
      if (isBasic(scheme))
        return [name, new Known('Basic', [Buffer.from(SECRETS.valid).toString('base64')], scopes)];
      return [name, new Known(scheme['type'] === 'apiKey' ? undefined : 'Bearer', [TOKENS.valid], scopes)];
    }),
  );
}

function startServer(
  document: Document,
  { served, given }: Parts,
  answer: (operation: Operation) => Answer,
): Promise<Server> {
  let entered = 0;
  const handlers = document.operations.map((operation) => [
    operation.id,
    (request: Received) => {
      entered += 1;
      given(request);
      return new Promise<Answer>((resolve) => {
        resolve(answer(operation));
      });
    },
  ]);
  const { app } = buildService({
    document: structuredClone(served),
    handlers: Object.fromEntries(handlers) as ServiceOptions['handlers'],
    strategies: strategiesOf(document),
    bodyLimit: BODY_LIMIT,
  });
  return listen(app, { entered: () => entered, reset: () => undefined }, renderPlain);
}
