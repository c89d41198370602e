import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { ModuleKind, ScriptTarget, transpile } from 'typescript';
import { parse } from 'yaml';
import * as contract from 'contract-first-server';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService } from '../../../../scripts/testing/service';
import { snippetsOf } from '../../../../scripts/testing/snippets';
import { cbor, encodeCbor } from './codecs';

/** The codecs and formats of a recipe, with these modules in place of those that it imports. */
function extensionsOf(file: string, modules: Readonly<Record<string, object>>): contract.Extensions {
  const source =
    /```ts\n([^]*?)```/.exec(readFileSync(join(__dirname, '../../../../docs', file), 'utf8'))?.[1] ?? '';
  const exports: { extensions?: contract.Extensions } = {};
  const recipe = compileFunction(transpile(source, { module: ModuleKind.CommonJS }), ['exports', 'require']);
  Reflect.apply(recipe, undefined, [exports, (name: string) => modules[name]]);
  if (!exports.extensions) throw new Error(`${file} exports no extensions`);
  return exports.extensions;
}

/** Another binary format in place of the package: what is tested is the recipe. */
const standIn = {
  decode: (bytes: Uint8Array, { useBigInt64 = false }): unknown => {
    if (bytes.length === 0 || !useBigInt64) throw new RangeError('a sentence of the package');
    return cbor.isText ? undefined : cbor.compile(undefined as never).decode(bytes, undefined as never);
  },
  encode: encodeCbor,
};

test('MessagePack: integers are exact in both directions, and what is malformed is 400', async () => {
  const schema = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'integer', format: 'int64' } },
  };
  const content = { 'application/vnd.thing+msgpack': { schema } };
  const { app } = buildService({
    document: buildDocument({
      operation: { requestBody: { content }, responses: { 200: { description: '', content } } },
    }),
    handlers: {
      postThing: ({ body }: { body: { id: bigint } }) =>
        Promise.resolve({ status: 200, body: { id: body.id + 1n } }),
    },
    ...extensionsOf('msgpack.md', { '@msgpack/msgpack': standIn, 'contract-first-server': contract }),
  });
  const headers = { 'Content-Type': 'application/vnd.thing+msgpack' };
  await listening(app, async (port) => {
    const post = (body: Uint8Array<ArrayBuffer>) =>
      fetch(`http://127.0.0.1:${port}/things`, { method: 'POST', headers, body });
    const answer = await post(Buffer.from(encodeCbor({ id: 9007199254740993n })));
    expect([answer.status, Buffer.from(await answer.arrayBuffer())]).toEqual([
      200,
      encodeCbor({ id: 9007199254740994n }),
    ]);
    const refused = await post(Buffer.from([0x9f]));
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('"the body is not well-formed MessagePack"'),
    ]);
  });
});

describe('JSON, or events that end with [DONE]', () => {
  const [document, handler] = ['operationId: describePainting', 'describe-painting.ts'].map(
    (part) =>
      snippetsOf('docs/recipes.md').find(({ word, text }) => word.includes(part) || text.includes(part))
        ?.text ?? '',
  );
  const exports: { describePainting?: () => contract.ServiceOptions['handlers'][string] } = {};
  Reflect.apply(
    compileFunction(transpile(handler ?? '', { module: ModuleKind.CommonJS, target: ScriptTarget.ESNext }), [
      'exports',
      'require',
    ]),
    undefined,
    [exports],
  );
  const { paths } = parse(document ?? '') as { paths: object };
  const { app, outcomes } = buildService({
    document: buildDocument({ paths }),
    handlers: exports.describePainting ? { describePainting: exports.describePainting() } : {},
  });

  const whole = ['application/json', '{"text":"Guernica is old"}'];
  const events = [
    'text/event-stream; charset=utf-8',
    'data: {"word":"Guernica"}\n\ndata: {"word":"is"}\n\ndata: {"word":"old"}\n\ndata: [DONE]\n\n',
  ];
  test.each([
    [false, '*/*', whole],
    [false, 'application/json', whole],
    [false, 'text/event-stream', events],
    [undefined, '*/*', whole],
    [undefined, 'application/json', whole],
    [undefined, 'text/event-stream', events],
    [true, '*/*', events],
    [true, 'application/json', events],
    [true, 'text/event-stream', events],
  ])('stream: %p with Accept: %s is answered by %j', async (stream, accept, expected) => {
    await listening(app, async (port) => {
      const answer = await fetch(`http://127.0.0.1:${port}/descriptions`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: accept },
        body: JSON.stringify({ title: 'Guernica', stream }),
      });
      expect([answer.headers.get('content-type'), await answer.text()]).toEqual(expected);
    });
    expect(outcomes.map(({ problem }) => problem)).toEqual(outcomes.map(() => undefined));
  });
});
