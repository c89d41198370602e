import { get } from 'node:http';
import { Validator } from '@cfworker/json-schema';
import { InvalidContract } from 'contract-first-server';
import { limitRequests } from 'contract-first-server/tools';
import { json } from '../../../../scripts/testing/service';
import { call, documentOf, HANDLERS, LARGE, PATHS, serving, TOKEN } from './museum';

const AUTHORIZED = { Authorization: `Bearer ${TOKEN}` };
const painting = (id: string) => ({ id, title: 'The Night Watch', year: 1642 });

describe.each(['modern', 'legacy'] as const)('the official client, of the %s era', (era) => {
  test('lists the tools, calls each, and gets answers that conform to their schemas', () =>
    serving({}, async ({ connect, outcomes, leftOut, faults }) => {
      const client = await connect(era);
      const { tools } = await client.listTools();
      const given: Record<string, Record<string, unknown>> = {
        listPaintings: { query: { after: '-9007199254740993' } },
        add: { body: { title: 'Dawn' } },
        getPainting: { path: { id: String(LARGE) } },
        getPhoto: { path: { id: '3' } },
      };
      const results: Record<string, unknown> = {};
      for (const { name, outputSchema } of tools) {
        const { structuredContent, content, isError } = await client.callTool({
          name,
          arguments: given[name] ?? {},
        });
        expect(isError).toBeUndefined();
        expect(new Validator(outputSchema as object, '2020-12').validate(structuredContent)).toMatchObject({
          valid: true,
        });
        expect(content[0]).toEqual({ type: 'text', text: JSON.stringify(structuredContent) });
        results[name] = [structuredContent, ...content.slice(1)];
      }
      const uri = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/photos\/3$/) as string;
      expect(results).toEqual({
        listPaintings: [{ body: [painting('-9007199254740993')] }, { type: 'text', text: 'X-Total: 1' }],
        add: [{ id: '1', title: 'Dawn' }],
        getPainting: [painting(String(LARGE))],
        getPhoto: [
          { body: { uri, mimeType: 'image/png', bytes: 3 } },
          { type: 'resource', resource: { uri, mimeType: 'image/png', blob: 'BwcH' } },
        ],
        visits: [
          {
            body: [{ event: 'visit', data: 'one\ntwo' }, { data: '{"id":9223372036854775807}' }],
            complete: false,
          },
        ],
        log: [{ body: [painting(String(LARGE))], complete: true }],
        notes: [{ body: 'closed on Mondays' }],
      });
      expect(leftOut).toEqual([
        'PUT /photos/{id} is no tool, for its body: only JSON, a form and plain text can be an argument',
        'GET /keyed is no tool, for an API key in the query: tools have header fields and cookies',
      ]);
      // Each call is a request like any other; each other message has a line of its own.
      const called = outcomes.filter(({ operationId }) => operationId !== undefined);
      expect(called.map(({ method, route, status }) => `${method} ${route} ${status}`)).toEqual([
        'GET /paintings 200',
        'POST /paintings 201',
        'GET /paintings/{id} 200',
        'GET /photos/{id} 200',
        'GET /visits 200',
        'GET /log 200',
        'GET /notes 200',
      ]);
      expect(outcomes.length).toBeGreaterThan(called.length);
      expect(faults).toEqual([]);
    }));

  test('corrects a call by what the server says of it', () =>
    serving({}, async ({ connect, outcomes }) => {
      const client = await connect(era);
      const said = async (name: string, given: Record<string, unknown>) => {
        const { content, isError } = await client.callTool({ name, arguments: given });
        return [isError, ...content.map((one) => (one.type === 'text' ? one.text : one.type))];
      };
      expect(await said('listPaintings', { query: { limit: 101 } })).toEqual([
        true,
        'The server answered 400.',
        expect.stringContaining('query/limit must be <= 100'),
      ]);
      expect((await said('listPaintings', { query: { limit: 100 } }))[0]).toBeUndefined();
      expect(await said('getPainting', { path: { id: '0' } })).toEqual([
        true,
        'The server answered 404.',
        '{"error":1,"message":"no such painting"}',
      ]);
      expect(outcomes.flatMap(({ operationId, status }) => (operationId ? [status] : []))).toEqual([
        400, 200, 404,
      ]);
      expect(await said('getPainting', {})).toEqual([true, 'path/id is required, and must not be empty']);
      expect(await said('getPainting', { path: { id: 1 }, body: {} })).toEqual([
        true,
        'body is not an argument of this tool: expected path/id',
      ]);
      expect(await said('listPaintings', { query: { limits: 1 } })).toEqual([
        true,
        'query/limits is not an argument of this tool: expected query/limit, query/after, header/X-Tenant',
      ]);
      // x-mcp: false hides it, and no argument leads there.
      expect(await said('getPainting', { path: { id: 'latest' } })).toEqual([
        true,
        'path: /paintings/latest is the path of latest, and not of this tool',
      ]);
      await expect(client.callTool({ name: 'latest' })).rejects.toThrow('there is no tool of this name');
      expect(outcomes.filter(({ operationId }) => operationId === 'latest')).toEqual([]);
    }));
});

test('a number of JSON is as exact as a text', () =>
  serving({}, async ({ ask }) => {
    const body = JSON.stringify(call('getPainting', { path: { id: 'ID' } })).replace(
      '"ID"',
      '9007199254740993',
    );
    expect(await (await ask(body)).text()).toContain('\\"id\\":\\"9007199254740993\\"');
  }));

test('an answer of more than 1 MiB becomes an error that names the limit', () =>
  serving({}, async ({ ask }) => {
    const text = async (id: number) => (await ask(call('getPhoto', { path: { id } }))).text();
    expect(await text(1_048_577)).toContain(
      '200 with more than 1048576 bytes, which is too large for a result: request less',
    );
    expect(await text(1_048_576)).toContain('"bytes":1048576');
  }));

test('credentials are those of HTTP, and their rejection is one of HTTP', () =>
  serving({}, async ({ ask, url, outcomes }) => {
    const given = call('add', { body: { title: 'Dawn' } });
    const ofAdd = async (headers: object) => {
      const response = await ask(given, headers);
      return [response.status, response.headers.get('WWW-Authenticate')];
    };
    const metadata = `resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`;
    expect(await ofAdd({})).toEqual([401, `Bearer ${metadata}, scope="write", realm="api", ApiKey`]);
    expect(await ofAdd({ Authorization: 'Bearer other' })).toEqual([
      401,
      `Bearer ${metadata}, scope="write", realm="api", error="invalid_token", ApiKey`,
    ]);
    expect(await ofAdd({ Authorization: 'Bearer reader' })).toEqual([
      403,
      `Bearer ${metadata}, realm="api", error="insufficient_scope", scope="write"`,
    ]);
    expect(await ofAdd(AUTHORIZED)).toEqual([200, null]);
    expect(await ofAdd({ Cookie: `session=${TOKEN}` })).toEqual([200, null]);
    expect(outcomes.map(({ status }) => status)).toEqual([401, 401, 403, 201, 201]);
    expect(await (await ask(given)).json()).toMatchObject({
      id: 1,
      error: { message: 'other credentials are needed' },
    });

    const described = await fetch(`${url}/.well-known/oauth-protected-resource/mcp`);
    expect(await described.json()).toEqual({
      resource: `${url}/mcp`,
      authorization_servers: ['https://issuer.example'],
      bearer_methods_supported: ['header'],
      scopes_supported: ['write'],
      resource_name: 'Museum',
    });
  }));

test('without an issuer there are no metadata; MCP_URL names the resource', async () => {
  await serving({ issuers: () => [] }, async ({ ask, url }) => {
    expect((await ask(call('add', { body: { title: 'x' } }))).headers.get('WWW-Authenticate')).toBe(
      'Bearer realm="api", ApiKey',
    );
    expect((await fetch(`${url}/.well-known/oauth-protected-resource/mcp`)).status).toBe(404);
  });
  await serving({ url: 'https://museum.example/api/mcp' }, async ({ ask }) => {
    const { headers } = await ask(call('add', { body: { title: 'x' } }));
    expect(headers.get('WWW-Authenticate')).toContain(
      'resource_metadata="https://museum.example/.well-known/oauth-protected-resource/api/mcp"',
    );
  });
});

describe('pages', () => {
  const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const url = 'https://museum.example/mcp';
  const options = { corsOrigins: ['https://app.example'] };
  const statusOf = (setting: { url?: string; host?: string }, origin: string) =>
    serving({ ...setting, options }, async ({ ask }) => {
      const { status, headers } = await ask(LIST, { Origin: origin });
      return [status, headers.get('Access-Control-Allow-Origin')];
    });

  test.each([
    ['of MCP_URL', { url }, 'https://museum.example'],
    ['of CORS_ORIGINS', { host: '0.0.0.0', url }, 'https://app.example'],
    ['of this machine, whose server listens on it alone', {}, 'http://localhost:5173'],
  ])('%s may ask', async (_, setting, origin) => {
    expect(await statusOf(setting, origin)).toEqual([200, origin]);
  });

  test.each([
    ['of another origin', {}, 'https://evil.example'],
    [
      'of this machine, whose server listens on others, too',
      { host: '0.0.0.0', url },
      'http://localhost:5173',
    ],
    ['without an origin of their own', {}, 'null'],
  ])('%s may not', async (_, setting, origin) => {
    expect(await statusOf(setting, origin)).toEqual([403, null]);
  });

  test('get the answer to a preflight', () =>
    serving({}, async ({ url: at }) => {
      const headers = {
        Origin: 'http://localhost:1',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,mcp-method',
      };
      const preflight = await fetch(`${at}/mcp`, { method: 'OPTIONS', headers });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('Access-Control-Allow-Headers')).toBe('authorization,mcp-method');
    }));
});

test('a call is one unit of a quota; other messages are none', () => {
  const rateLimit = limitRequests({ requests: 1, seconds: 60 }, () => 'a client');
  return serving({ options: { rateLimit } }, async ({ ask }) => {
    const text = async (body: object) => (await ask(body)).text();
    await text({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(await text(call('notes'))).toContain('closed on Mondays');
    expect(await text(call('notes'))).toContain('The server answered 429.');
  });
});

test('BODY_LIMIT bounds a message, and what is no message is rejected', () =>
  serving({ options: { bodyLimit: 100 } }, async ({ ask, outcomes }) => {
    const answers = await Promise.all([
      ask(`"${'x'.repeat(99)}"`),
      ask('{"jsonrpc":'),
      ask('[]'),
      ask('{"a":1,"a":2}'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([413, 400, 400, 400]);
    expect(outcomes.map(({ status, problem }) => problem?.kind ?? status).sort()).toEqual([
      400,
      400,
      400,
      'tooLarge',
    ]);
  }));

test('no more POSTs are under way than MAX_REQUESTS', () =>
  serving({ options: { maxRequests: 1 } }, async ({ ask }) => {
    const answers = await Promise.all([ask(call('visits')), ask(call('notes'))]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 503]);
  }));

test('a subscription is acknowledged, and ends when the server stops', async () => {
  const stopping = new AbortController();
  await serving({ options: { stopping: stopping.signal } }, async ({ connect, outcomes }) => {
    const client = await connect();
    const { honoredFilter, closed } = await client.listen({ toolsListChanged: true });
    expect(honoredFilter).toEqual({});
    expect(outcomes.at(-1)).toMatchObject({ method: 'POST', route: '/mcp', status: 200 });
    stopping.abort();
    await closed;
  });
});

test('a stream that breaks off is an error', async () => {
  const log = async function* () {
    yield painting('1');
    await Promise.resolve();
    throw new Error('the source is gone');
  };
  const handlers = { ...HANDLERS, log: () => Promise.resolve({ status: 200, body: log() }) };
  await serving({ handlers }, async ({ ask, outcomes }) => {
    expect(await (await ask(call('log'))).text()).toContain(
      'The server answered 200, but the body broke off.',
    );
    expect(outcomes).toEqual([expect.objectContaining({ operationId: 'log', status: 200, brokenAt: 0 })]);
  });
});

test('a call ends when its client leaves', async () => {
  const reached = Promise.withResolvers<AbortSignal>();
  const notes = ({ signal }: { signal: AbortSignal }) => {
    reached.resolve(signal);
    return new Promise(() => undefined);
  };
  await serving({ handlers: { ...HANDLERS, notes } }, async ({ url, outcomes }) => {
    const client = new AbortController();
    const headers = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' };
    const asked = fetch(`${url}/mcp`, {
      method: 'POST',
      headers,
      body: JSON.stringify(call('notes')),
      signal: client.signal,
    });
    const signal = await reached.promise;
    client.abort();
    await expect(asked).rejects.toThrow();
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
    expect(outcomes.map(({ operationId, status }) => [operationId, status])).toEqual([['notes', 499]]);
  });
});

test('the log has a call under the id of its POST, and the service sees its caller', async () => {
  const seen: unknown[] = [];
  const beforeHandler = ({
    request: { headers, socket },
  }: {
    request: { headers: object; socket: { remoteAddress?: string } };
  }) => {
    seen.push([headers, socket.remoteAddress]);
    return Promise.resolve();
  };
  await serving({ options: { beforeHandler } as object }, async ({ ask, outcomes }) => {
    const response = await ask(call('listPaintings', { header: { 'X-Tenant': 'b' } }), {
      'X-Request-Id': 'one',
      'X-Tenant': 'a',
      'User-Agent': 'c',
    });
    expect(response.headers.get('X-Request-Id')).toBe('one');
    expect(outcomes.map(({ requestId }) => requestId)).toEqual(['one']);
  });
  expect(seen).toEqual([
    [
      {
        host: expect.any(String) as string,
        'user-agent': 'c',
        'accept-language': '*',
        'x-tenant': 'b',
        accept: 'application/json',
        connection: 'close',
        'content-length': '0',
        'x-request-id': 'one',
      },
      '127.0.0.1',
    ],
  ]);
});

describe('the path', () => {
  const document = documentOf({
    ...PATHS,
    '/mcp': {
      get: { operationId: 'own', ...{ responses: { 200: { description: '', content: json(true) } } } },
    },
  });
  const handlers = { ...HANDLERS, own: () => Promise.resolve({ status: 200, body: 1 }) };

  test('is that of the document while MCP is not set', () =>
    serving({ document, handlers, options: { mcp: undefined } }, async ({ url }) => {
      expect(await (await fetch(`${url}/mcp`)).text()).toBe('1');
    }));

  test('is reserved while it is: a document that has it is rejected', async () => {
    const start = serving({ document, handlers }, () => Promise.resolve());
    await expect(start).rejects.toThrow(InvalidContract);
    await expect(start).rejects.toThrow(
      '/mcp and /.well-known/oauth-protected-resource/mcp are reserved while MCP is set',
    );
  });
});

test('Host decides nothing', () =>
  serving({}, async ({ url }) => {
    const status = await new Promise((resolve) => {
      get(`${url}/mcp`, { headers: { Host: 'evil.example' } }, (response) => {
        resolve(response.resume().statusCode);
      });
    });
    expect(status).toBe(405); // there is no session to follow
  }));
