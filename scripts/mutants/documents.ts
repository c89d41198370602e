import type { IncomingHttpHeaders } from 'node:http';
import type { Strategy } from 'passport';
import type { Parts } from '../testing/document-server';
import { answer, body, mutants, replaceLines, request, type Table } from './parts';
import { failsAt } from './unseen';
import { Anybody, FailsOpen } from './security';
import { asObject, type Json, type JsonObject, objectAt } from 'contract-first-prover';

/** A fault made for a document. */
type DocumentFault = (document: JsonObject) => Partial<Parts>;

/** The document with each of its security requirements changed. */
const requirements =
  (change: (scopes: Json) => Json): DocumentFault =>
  (document) => {
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
  };

/** Those of scopes.yaml. */
const SCOPES = ['read', 'admin:write', 'profile', 'gardener', 'owner'];
const strategies = (make: (scheme: string) => Strategy): Parts['strategies'] =>
  Object.fromEntries(['oauth', 'openId', 'bearer', 'key'].map((name) => [name, make(name)]));

/** Takes such credentials for none at all where none would do. */
const asNobody = (isRefused: (headers: IncomingHttpHeaders) => boolean): Partial<Parts> =>
  request((incoming) => {
    const isOptional = ['/perhaps', '/optional'].includes(incoming.url ?? '');
    if (!isOptional || !isRefused(incoming.headers)) return;
    for (const name of ['authorization', 'x-api-key']) {
      Reflect.deleteProperty(incoming.headers, name);
      replaceLines(incoming.rawHeaders, name);
    }
  });
const GOOD = /^(bearer|token) (good-token|scoped-)|^basic /i;

/** Hands every number to a database whose columns hold 64 bits. */
function assertInt64(value: unknown): void {
  if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) > 2 ** 63)
    throw new RangeError('a number is out of range');
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(assertInt64);
}

const UNCHECKED: Readonly<Record<string, Partial<Parts>>> = {
  'numbers are passed to a database unchecked': {
    pass: (received) => {
      assertInt64(received);
      return received;
    },
  },
};

const notServed = (method: string): Partial<Parts> =>
  request((incoming) => {
    if (incoming.method === method) incoming.url = '/nowhere';
  });

/** A server that does not see a header of the request. */
const unheard = (name: string): Partial<Parts> =>
  request((incoming) => {
    Reflect.deleteProperty(incoming.headers, name);
    replaceLines(incoming.rawHeaders, name);
  });

/** A server whose answers of a status have another header, or none. */
const changedHead = (status: number, name: string, value?: string): Partial<Parts> => ({
  wrap: (application) => (incoming, response) => {
    const writeHead = response.writeHead.bind(response);
    Object.assign(response, {
      writeHead: (given: number, fields: string[]) => {
        if (given === status) replaceLines(fields, name, value);
        return writeHead(given, fields);
      },
    });
    application(incoming, response);
  },
});

/** A server before which something changes each body of a media type; `boundary` is that of its parts. */
const bodyOf = (mediaType: string, change: (text: string, boundary: string) => string): Partial<Parts> =>
  body((text, { headers }) => {
    const [type = '', boundary = ''] = (headers['content-type'] ?? '').split(/; boundary="?|"$/);
    return type === mediaType ? change(text, `--${boundary}`) : text;
  });
const form = (change: (text: string, boundary: string) => string) => bodyOf('multipart/form-data', change);

const TITLE = /Content-Disposition: form-data; name="title"\r\n\r\n[^\r]*\r\n--[^\r]*\r\n/;

/** A server whose operations have another limit of their bodies. */
const limited =
  (by: number): DocumentFault =>
  (document) => ({
    served: JSON.parse(JSON.stringify(document), (key, value: unknown) =>
      key === 'x-body-limit' ? Number(value) + by : value,
    ) as JsonObject,
  });

const EVENT = '/paths/~1events/get/responses/200/content/text~1event-stream/x-item-schema';

/** A server whose document lacks some keywords of a schema. */
const without =
  (pointer: string, ...keywords: readonly string[]): DocumentFault =>
  (document) => {
    const served = structuredClone(document);
    for (const keyword of keywords) Reflect.deleteProperty(objectAt(served, pointer), keyword);
    return { served };
  };

/** Faults of the service of a document of the tests, which no deletion of a keyword makes; by the name of the document. */
const FAULTS: Readonly<Record<string, Table<Partial<Parts> | DocumentFault>>> = {
  'scopes.yaml': {
    security: {
      'scopes are ignored': requirements(() => []),
      'of the scopes the first is enough': requirements((scopes) =>
        Array.isArray(scopes) ? scopes.slice(0, 1) : [],
      ),
      'keys are not verified': { strategies: strategies(() => new Anybody({ scopes: SCOPES })) },
      'a verifier that gives undefined lets in': {
        strategies: strategies(
          (name) =>
            new FailsOpen(
              (secret) => (secret === 'good-token' ? { scopes: SCOPES } : undefined),
              name === 'key' ? undefined : 'Bearer',
            ),
        ),
      },
      'the challenge does not name the scopes': answer(({ status, headers }) => {
        if (status === 403) headers['WWW-Authenticate'] = 'Bearer error="insufficient_scope"';
      }),
    },
  },
  'security.yaml': {
    security: {
      'a refused token is nobody': asNobody(
        ({ authorization = 'Token good-token' }) => !GOOD.test(authorization),
      ),
      'a token of another form is nobody': asNobody(
        ({ authorization }) =>
          authorization !== undefined && !/^(bearer|basic|token) [^ ]+$/i.test(authorization),
      ),
      'a token that lacks scopes is nobody': asNobody(({ authorization = '' }) =>
        authorization.includes(' scoped-'),
      ),
      'a refused API key is nobody': asNobody(({ 'x-api-key': key = 'good-token' }) => key !== 'good-token'),
      'the word before an API key is ignored': request(({ headers, url }) => {
        if (url === '/token') headers.authorization = headers.authorization?.replace(/^.* /, 'Token ');
      }),
      'an API key needs no word before it': request(({ headers, url }) => {
        if (url === '/token' && headers.authorization === 'good-token')
          headers.authorization = 'Token good-token';
      }),
    },
  },
  'path-items.yaml': {
    baseline: {
      'what a path item refers to is not served': notServed('POST'),
      'what stands beside a reference is not served': notServed('GET'),
    },
  },
  'siblings.yaml': {
    'valid, constraints': {
      'parameters of one segment are confused': (document) => ({
        served: JSON.parse(JSON.stringify(document).replaceAll('{z}-{x}', '{x}-{z}')) as JsonObject,
      }),
      'a parameter has the name of a sibling': {
        pass: ({ path = {}, ...rest }) => {
          const { userId, ...others } = path;
          return { ...rest, path: userId === undefined ? others : { ...others, id: userId } };
        },
      },
    },
  },
  'media-parameters.yaml': {
    'media types': {
      'parameters of media types are ignored': request(({ headers }) => {
        const [essence] = (headers['content-type'] ?? '').split(';');
        if (essence === 'application/json') headers['content-type'] = 'application/json; version=1';
      }),
    },
  },
  'accept.yaml': {
    'media types': {
      'Accept is ignored': request(({ headers }) => delete headers.accept),
      'of what is accepted the first counts': request(({ headers }) => {
        if (headers.accept !== undefined) headers.accept = headers.accept.split(/[,;]/)[0] ?? '';
      }),
    },
    'methods and paths': {
      'HEAD is not answered': request((incoming) => {
        if (incoming.method === 'HEAD') incoming.method = 'PROPFIND';
      }),
    },
  },
  'prototype-names.yaml': {
    'valid, constraints': {
      'a property of the name constructor is lost': body((text) =>
        text.replaceAll('"constructor"', '"konstructor"'),
      ),
    },
    'baseline, valid': {
      'what every object has is taken for a property': {
        pass: (received) => ({ ...received, query: { toString: 'function', ...received.query } }),
      },
    },
  },
  'files.yaml': {
    representations: {
      'Range is ignored': unheard('range'),
      'If-Range is ignored': unheard('if-range'),
      'If-None-Match is ignored': unheard('if-none-match'),
      'If-Modified-Since is ignored': unheard('if-modified-since'),
      'HEAD has ranges': request((incoming) => {
        if (incoming.headers.range !== undefined) incoming.method = 'GET';
      }),
      '206 has no ETag': changedHead(206, 'etag'),
      '416 does not say the size': changedHead(416, 'content-range'),
    },
    baseline: {
      'what has an ETag is not stored': changedHead(200, 'cache-control', 'no-store'),
    },
  },
  'streams.yaml': {
    baseline: {
      'items are sent as they are': without('/components/schemas/Measurement', 'properties', 'required'),
      'data is a text that the handler writes': without(
        `${EVENT}/oneOf/0/properties/data`,
        'contentMediaType',
        'contentSchema',
      ),
    },
  },
  'uploads.yaml': {
    bodies: {
      'parts need no end': form((text, boundary) =>
        text.includes(`${boundary}--`) ? text : `${text}${boundary}--\r\n`,
      ),
      'a boundary counts wherever it is': form((text, boundary) =>
        text.replace(new RegExp(`(?<!\\n|^)${boundary}`, 'g'), `\r\n${boundary}`),
      ),
      'quotes in names end them': form((text) => text.replace(/(?<=name="[^"]*)%22/g, '"')),
      'of repeated parts the last counts': form((text) =>
        text.split('name="title"').length > 2 ? text.replace(TITLE, '') : text,
      ),
      'the names of headers of parts have the letter case of the standard': form((text) =>
        text.replace(/\r\ncontent-disposition:/g, '\r\nx:'),
      ),
      'thousands of parts are a failure of the server': failsAt((text) => text.split('\r\n--').length > 5000),
      'bodies may be a byte larger than their operation says': limited(1),
      'the largest body of an operation is refused': limited(-1),
      'the last of several lines may be cut': bodyOf('application/x-ndjson', (text) =>
        text.replace(/\n\{"[^\n}]*\n$/, '\n'),
      ),
    },
    constraints: {
      'only the first line is judged': bodyOf('application/x-ndjson', (text) => text.split('\n')[0] ?? ''),
      'texts that are no number are 0': bodyOf('text/plain', (text) =>
        /^[-\d]|true|false/.test(text) ? text : '0',
      ),
      'one value of several is read': request((incoming) => {
        incoming.url = incoming.url?.replace(/(word=[^&]*).*/, '$1') ?? '';
      }),
    },
    'valid, constraints': {
      'one value is a list of one': {
        pass: ({ query, ...rest }) => ({
          ...rest,
          query: query?.['word'] === undefined ? {} : { word: [query['word']].flat() },
        }),
      },
    },
    baseline: {
      'numbers are written with a word': answer((given) => {
        if (given.status === 200) given.body = `${given.body} plants`;
      }),
    },
  },
  'openapi-3-2.yaml': {
    baseline: {
      'QUERY is not served': notServed('QUERY'),
      'additional operations are not served': notServed('COPY'),
    },
    'methods and paths': {
      'Allow does not name what OpenAPI 3.2 adds': answer(({ headers }) => {
        headers['Allow'] &&= String(headers['Allow']).replace(/, (?:QUERY|COPY)|(?:QUERY|COPY), /g, '');
      }),
    },
    bodies: {
      'the last record may be cut': bodyOf('application/json-seq', (text) =>
        text.replace(/\x1e\{"a":\n$/, ''),
      ),
    },
    'constraints, valid': {
      'a plus sign of a whole query is no space': request((incoming) => {
        incoming.url = incoming.url?.replace(/%20/g, '%2B') ?? '';
      }),
      'parts in other places are judged as the first': (document) => ({
        served: JSON.parse(JSON.stringify(document).replace(/"prefixItems":\[.*?\],/, '')) as JsonObject,
      }),
    },
  },
  'numbers.yaml': { valid: UNCHECKED },
  'collections.yaml': {
    valid: {
      ...UNCHECKED,
      'unlisted properties are passed on': {
        pass: ({ body: value, ...rest }) => ({
          ...rest,
          body: { ...(value as object), unlisted: ['whatever'] },
        }),
      },
    },
  },
  'defaults.yaml': {
    valid: UNCHECKED,
    'baseline, valid': {
      'defaults of parameters are not filled in': {
        pass: ({ query, ...rest }) => ({ ...rest, query: { word: query?.['word'] } }),
      },
    },
  },
  'cookies.yaml': { baseline: { 'of two cookies one is sent': answer(() => undefined) } },
  'discriminator.yaml': {
    'baseline, valid': {
      'a subtype loses its own properties': answer((sent) => {
        if (sent.status === 200) sent.body = sent.body.replace(/,"(?:packSize|side)":[^,}]+/, '');
      }),
    },
  },
};

/** The mutants of the service of a document. */
export const documentMutants = (name: string, document: JsonObject) =>
  mutants(FAULTS[name] ?? {}).map(({ parts, ...mutant }) => ({
    ...mutant,
    parts: typeof parts === 'function' ? parts(document) : parts,
  }));
