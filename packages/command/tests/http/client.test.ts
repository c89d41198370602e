import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DescribedValue, type Operation } from 'contract-first-server';
import {
  joinPointer,
  type MediaTypeObject,
  members,
  OpenApiDocument,
  partRule,
  readOperations,
} from 'contract-first-server/tools';
import {
  createOracle,
  type JsonObject,
  readDocument,
  type Received,
  samples,
  toJavaScript,
} from 'contract-first-prover';
import { everyOf, slow } from '../../../../scripts/testing/cases';
import { clientsOfAll, errorsIn } from '../../../../scripts/testing/compile';
import { keepFolder } from '../../../../scripts/testing/folder';
import { loadClient } from '../support/generated-client';
import { withRefusals } from '../../../../scripts/testing/service';
import { DOCUMENTS, readFiles, serviceOf } from '../../../../scripts/testing/document-server';

// Every operation of every document, called by its client.

const folder = keepFolder();
/** The documents whose clients are called. */
const CALLED = everyOf(DOCUMENTS, 3);
const clients = new Map<string, string>();
const documents = new Map<string, JsonObject>();
const documentOf = async (name: string) => withRefusals(await readFiles(name)) as JsonObject;
beforeAll(async () => {
  for (const name of CALLED) documents.set(name, await documentOf(name));
  const texts = clientsOfAll([...documents.values()]);
  CALLED.forEach((name, i) => clients.set(name, texts[i]?.text ?? ''));
}, 60_000);

/** A request, and what the handler must receive of it. */
interface Sample {
  readonly sent: Record<string, unknown>;
  readonly received: Received;
}

test.each(CALLED)(
  'the client of %s sends what its handlers receive, and returns what they answer',
  async (name) => {
    const json = documents.get(name) ?? {};
    const schemas = new Map(readDocument(json).operations.map((one) => [one.id, one]));
    const echoed = echoedIn(json);
    const target = serviceOf(json, {
      answer: (answer, { body }) => (echoed.has(asking) && body !== undefined ? { ...answer, body } : answer),
    });
    const server = await target.start();
    let asking = '';
    let raw = '';
    const client = loadClient(
      folder,
      clients.get(name) ?? '',
    )({
      baseUrl: `http://127.0.0.1:${server.port}`,
      credentials: credentialsOf(json, target.credentials),
      timeout: 10_000,
      fetch: async (request) => {
        const response = await fetch(request);
        raw = await response.clone().text();
        return response;
      },
    });
    const wrong: unknown[] = [];
    for (const operation of readOperations(new OpenApiDocument(json))) {
      asking = operation.operationId;
      let sentAny = false;
      const model = schemas.get(asking);
      for (const { sent, received } of model ? samplesOf(json, operation, model) : []) {
        const answer = await client[asking]?.(sent).catch((error: unknown) => error as Error);
        if (answer instanceof Error && answer.name === 'UnwritableRequest') continue;
        sentAny = true;
        if (!answer || answer instanceof Error || Number(answer.status) >= 300) {
          wrong.push([asking, sent, answer instanceof Error ? [String(answer), answer.cause] : answer?.body]);
          continue;
        }
        const got = target.received?.();
        if (!covers(got, received)) wrong.push([asking, 'received', got, 'for', received]);
        const body = await readWhole(answer.body);
        const expected = echoed.has(asking) ? got?.body : undefined;
        const isExact = expected === undefined || isDeepStrictEqual(body, expected);
        if (!isExact || !isText(body, raw, answer.contentType))
          wrong.push([asking, 'returned', body, 'of', raw]);
      }
      if (!sentAny) wrong.push([asking, 'is never sent']);
    }
    await server.close();
    expect(wrong).toEqual([]);
  },
);

/** What a caller writes, and what the compiler refuses. */
const CALLS = `
import { createClient as toNumbers } from './numbers';
import { createClient as toUploads } from './uploads';
import { createClient as toStreams } from './streams';
import { createClient as toOneWay } from './one-way';
import { createClient as toDefaults } from './defaults';
import { createClient as toSecurity } from './security';
import { createClient as toFiles } from './files';
const options = { baseUrl: 'https://api.example.org' };
export async function calls() {
  const entry = await toNumbers(options).addEntry({ path: { ledger: 1n }, body: { id: 1n, amounts: [2n] as const } });
  if (entry.status === 200) {
    const id: bigint = entry.body.id;
    const small: number | undefined = entry.body.small;
    const type: 'application/json' = entry.contentType;
    void [id, small, type];
  } else if (entry.status === 'undocumented') {
    const status: number = entry.response.status;
    // @ts-expect-error what the document does not describe has no body
    void [status, entry.body];
  }
  // @ts-expect-error an int64 is a bigint
  await toNumbers(options).addEntry({ path: { ledger: 1 }, body: { id: 1n, amounts: [2n] } });
  // @ts-expect-error the path is missing
  await toNumbers(options).addEntry({ body: { id: 1n, amounts: [2n] } });
  const photo = { title: 'The sea', photo: new Blob(['']) };
  await toUploads(options).addPhoto({ body: photo, contentType: 'multipart/form-data' });
  await toUploads(options).addPhoto({ body: { url: '' }, contentType: 'application/json' });
  // @ts-expect-error one of several media types is named
  await toUploads(options).addPhoto({ body: photo });
  // @ts-expect-error a file is a Blob
  await toUploads(options).addPhoto({ body: { title: '', photo: '' }, contentType: 'multipart/form-data' });
  await toUploads(options).addLines({ body: [{ name: '' }] });
  const records = await toStreams(options).getRecords({ signal: new AbortController().signal });
  if (records.status === 200) for await (const { value } of records.body) void (value satisfies bigint);
  const defaults = toDefaults(options);
  // What has a default may be left out.
  await defaults.search();
  const file = await toFiles(options).getPhoto({ headers: { Range: 'bytes=0-9' } });
  if (file.status === 206) void [file.headers.ETag, file.body satisfies ReadableStream<Uint8Array>];
  if (file.status === 304) void (file.body satisfies undefined);
  toSecurity({ ...options, credentials: { bearer: async () => 'token', basic: { username: '', password: '' } } });
  // @ts-expect-error there is no such scheme
  toSecurity({ ...options, credentials: { other: 'token' } });
  void toOneWay;
}
`;

slow(() => {
  test('every client compiles under the strictest flags, for a browser', async () => {
    const fileOf = (name: string) => `${name.replaceAll('/', '-').replace(/\.yaml$/, '')}.ts`;
    const types = join(folder, 'types');
    mkdirSync(types);
    const texts = clientsOfAll(await Promise.all(DOCUMENTS.map(documentOf)));
    DOCUMENTS.forEach((name, i) => {
      writeFileSync(join(types, fileOf(name)), texts[i]?.text ?? '');
    });
    writeFileSync(join(types, 'calls.ts'), CALLS);
    writeFileSync(join(types, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICTEST }));
    expect(errorsIn(types, {}, (file) => file.startsWith(realpathSync(types)))).toBe('');
  }, 60_000);
});

const STRICTEST = {
  strict: true,
  noEmit: true,
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: [],
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitReturns: true,
  noImplicitOverride: true,
  noFallthroughCasesInSwitch: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
};

/** The operations that answer the value that they receive: one schema types both, in both directions. */
function echoedIn(json: JsonObject): Set<string> {
  if (JSON.stringify(json).includes('"writeOnly"')) return new Set();
  const document = new OpenApiDocument(json);
  const schemaOf = (content: readonly MediaTypeObject[] = []) =>
    content.map(({ key, schema }) => [key, schema === undefined ? '' : document.at(schema)]);
  const operations = readOperations(document).filter(
    ({ requestBody, responses }) =>
      requestBody &&
      isDeepStrictEqual(schemaOf(requestBody.content), schemaOf(responses.get('200')?.content)),
  );
  return new Set(operations.map(({ operationId }) => operationId));
}

function credentialsOf(json: JsonObject, given: Readonly<Record<string, { readonly valid: string }>>) {
  const schemes = new Map(members(new OpenApiDocument(json).at('/components/securitySchemes')));
  return Object.fromEntries(
    Object.entries(given).map(([name, { valid }]) => {
      const [username = '', password = ''] = valid.split(':');
      const isBasic = (schemes.get(name) as JsonObject)['scheme'] === 'basic';
      return [name, isBasic ? { username, password } : () => Promise.resolve(valid)];
    }),
  );
}

type Model = ReturnType<typeof readDocument>['operations'][number];

function samplesOf(json: JsonObject, operation: Operation, model: Model): Sample[] {
  const { requests } = readDocument(json);
  const oracle = createOracle(requests);
  const modes = ['required', 'all', 'any', 'any', 'any', 'any'] as const;
  return modes.flatMap((mode, i) => {
    const valueOf = (schema: string | undefined): unknown => {
      const values =
        schema === undefined ? ['x'] : samples(requests, oracle, schema, mode, 6).map(toJavaScript);
      return values[i % values.length];
    };
    const sent: Record<string, Record<string, unknown>> = {};
    for (const { name, in: place, required, schema } of model.parameters) {
      if (mode === 'required' && !required) continue;
      if (place === 'querystring') sent['query'] = valueOf(schema) as Record<string, unknown>;
      else (sent[place] ??= {})[name] = valueOf(schema);
    }
    if (!model.body || (mode === 'required' && !model.body.required)) return [{ sent, received: sent }];
    return model.body.content.flatMap((media, at): Sample[] => {
      const value =
        media.items === undefined ? valueOf(media.schema) : [valueOf(media.items), valueOf(media.items)];
      const documented = operation.requestBody?.content[at];
      const isBytes = documented !== undefined && isBinary(json, documented);
      const files = documented ? filesOf(json, documented) : () => false;
      const body = isBytes ? new TextEncoder().encode(String(value)) : value;
      const mapped = (to: (text: string) => unknown) => (isBytes ? body : mapFiles(body, files, to));
      if (value === undefined) return [];
      return [
        {
          sent: {
            ...sent,
            contentType: media.type,
            body: mapped((text) => new Blob([text], { type: 'image/png' })),
            partHeaders: { photo: { 'X-License': 'MIT' } },
          },
          received: { ...sent, body: mapped((text) => new TextEncoder().encode(text)) },
        },
      ];
    });
  });
}

const isBinary = (json: JsonObject, { type, pointer }: MediaTypeObject) =>
  /^image|octet-stream/.test(type.essence) && new OpenApiDocument(json).at(pointer) !== undefined;

/** Whether the part of a name, or at a position, is a file. */
function filesOf(json: JsonObject, { type, schema, pointer }: MediaTypeObject): (name: string) => boolean {
  const document = new OpenApiDocument(json);
  const value = DescribedValue.at(document, schema);
  if (!type.essence.startsWith('multipart/') || schema === undefined) return () => false;
  const encodings = document.at(joinPointer(pointer, 'encoding')) as JsonObject | undefined;
  return (name) => {
    const part = /^\d+$/.test(name) ? value.item(Number(name)) : value.property(name);
    return partRule(part, encodings?.[name]).isFile;
  };
}

function mapFiles(body: unknown, isFile: (name: string) => boolean, to: (text: string) => unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const file = (value: unknown) =>
    Array.isArray(value) ? value.map((one) => to(String(one))) : to(String(value));
  const entries = Object.entries(body).map(([name, value]): [string, unknown] => [
    name,
    isFile(name) ? file(value) : value,
  ]);
  return Array.isArray(body) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
}

/** Whether what arrived has all that was sent, and beyond that defaults only. An empty list is as none. */
function covers(got: unknown, sent: unknown): boolean {
  if (typeof sent === 'number' || typeof sent === 'bigint')
    return typeof got === 'bigint' ? String(got) === String(sent) : got === Number(sent);
  if (typeof sent !== 'object' || sent === null) return got === sent;
  if (sent instanceof Uint8Array) return got instanceof Uint8Array && Buffer.compare(got, sent) === 0;
  if (got === undefined) return Object.keys(sent).length === 0;
  if (typeof got !== 'object' || got === null || Array.isArray(got) !== Array.isArray(sent)) return false;
  if (Array.isArray(sent) && (got as unknown[]).length !== sent.length) return false;
  return Object.entries(sent).every(([name, value]) => covers((got as Record<string, unknown>)[name], value));
}

async function readWhole(body: unknown): Promise<unknown> {
  if (body instanceof ReadableStream) return Buffer.from(await new Response(body).arrayBuffer()).toString();
  if (typeof body !== 'object' || body === null || !(Symbol.asyncIterator in body)) return body;
  const items: unknown[] = [];
  for await (const item of body as AsyncIterable<unknown>) items.push(item);
  return items;
}

/** A number as it is written. */
class Literal {
  constructor(readonly source: string) {}
}

function parsed(text: string): unknown {
  const keep = (_: string, value: unknown, ...[context]: { readonly source?: string }[]) =>
    typeof value === 'number' ? new Literal(context?.source ?? '') : value;
  return JSON.parse(text, keep) as unknown;
}

/** Whether a body is the value of a text. A bigint has each digit of it. */
function isValueOf(body: unknown, value: unknown): boolean {
  if (value instanceof Literal)
    return typeof body === 'bigint' ? String(body) === value.source : body === Number(value.source);
  if (typeof value !== 'object' || value === null) return body === value;
  if (typeof body !== 'object' || body === null) return false;
  const others = body as Record<string, unknown>;
  const entries = Object.entries(value);
  return (
    entries.length === Object.keys(body).length &&
    entries.every(([name, one]) => isValueOf(others[name], one))
  );
}

function isText(body: unknown, text: string, contentType = ''): boolean {
  if (contentType === '') return body === undefined;
  if (contentType === 'text/event-stream') {
    const data = Array.from(text.matchAll(/^data: (.*)$/gm), ([, one = '']) => one);
    const events = body as { readonly data: unknown }[];
    return isValueOf(
      events.map((one) => one.data),
      data.map((one) => (one.startsWith('{') ? parsed(one) : one)),
    );
  }
  const lines = text.split(/\n\x1e?/).filter((line) => line !== '');
  if (/jsonl|json-seq|ndjson/.test(contentType))
    return isValueOf(
      body,
      lines.map((line) => parsed(line.replace('\x1e', ''))),
    );
  return contentType.includes('json') ? isValueOf(body, parsed(text)) : String(body) === text;
}
