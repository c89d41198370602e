import type { JsonObject } from './json/json';
import { objectAt } from './json/pointer';
import { htmlPage } from './report/page';
import { describeFailure, headline, formatReport } from './report/text';
import { run } from './run';
import { sound, target } from './simple-server';

const WAIVER = { obligation: /409/, reason: 'nothing is ever taken here' };

describe('a run', () => {
  test('is not passed while a documented status was never seen', async () => {
    const result = await run(target(sound));
    expect(result.failures.map(describeFailure)).toEqual([]);
    expect(
      result.obligations.filter(({ state }) => state === 'UNPROVEN').map(({ key, reason }) => [key, reason]),
    ).toEqual([
      [
        'putNumber | response | 409 | no body',
        'no request brought it about: give the target a scenario, a situation or a waiver',
      ],
    ]);
    expect(result.passed).toBe(false);
  });

  test('is passed once that is waived, and shows the reason', async () => {
    const result = await run(target(sound, [WAIVER]));
    expect(result.passed).toBe(true);
    expect(headline(result)).toMatch(
      /^PROVEN \d+\/\d+, WAIVED 1, UNPROVEN 0, BLOCKED 0, \d+ requests, \d+\.\d s$/,
    );
    expect(formatReport(result)).toContain(WAIVER.reason);
  });

  test('proves nothing about a server that refuses everything', async () => {
    const result = await run(
      target(() => ({ status: 401, headers: { 'WWW-Authenticate': 'Bearer' } }), [WAIVER]),
    );
    expect(new Set(result.obligations.map(({ state }) => state))).toEqual(new Set(['BLOCKED']));
    expect(result.requests).toBe(1);
    expect(result.passed).toBe(false);
  });

  test('does not let a waiver cover what was seen to be broken', async () => {
    const result = await run(
      target(
        (request, body) => (body.trim() === '1000001' ? { status: 204 } : sound(request, body)),
        [{ obligation: /./, reason: 'everything' }],
      ),
    );
    expect(result.obligations.find(({ key }) => key.endsWith('maximum | violates'))?.state).toBe('UNPROVEN');
  });

  test('finds by chance what no bound points to, shrinks it, and says how to see it again', async () => {
    const broken = target((request, body) =>
      Number(body) > 4321 && Number(body) < 1_000_000 ? { status: 400 } : sound(request, body),
    );
    const [first, ...others] = (await run(broken)).failures;
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      family: 'generated',
      curl: expect.stringContaining(`--data-binary '4322'`) as string,
    });
    expect(first && describeFailure(first)).toMatch(
      /found with seed -?\d+, path [\d:]+; the request is shrunk/,
    );

    const [again] = (await run(broken)).failures;
    expect(again).toEqual(first);
  });
});

test('a keyword that nothing was found to break says so', async () => {
  const name = { name: 'name', in: 'query', schema: { type: 'string', minLength: 1, pattern: '^[a-z]+$' } };
  const named = target(
    (request, body) => {
      request.url = request.url?.replace(/\?name=[a-z]+$/, '') ?? '';
      return sound(request, body);
    },
    [WAIVER],
  );
  const document = structuredClone(named.document);
  objectAt(document, '/paths/~1number/put')['parameters'] = [name];
  const result = await run({ ...named, document }, { generated: 1 });
  expect(result.failures.map(describeFailure)).toEqual([]);
  const open = result.obligations.filter(({ state }) => state === 'UNPROVEN');
  expect(open.map(({ description: what, reason }) => [what, reason])).toEqual([
    [
      'query name | /paths/~1number/put/parameters/0/schema minLength | violates',
      'no value was found that breaks minLength and that query name can carry: drop the keyword where others exclude all such values already, or give the target a waiver',
    ],
  ]);
});

test('an operation of which two required headers are all there is to make up is proven', async () => {
  const header = (name: string) => ({ name, in: 'header', required: true, schema: { type: 'string' } });
  const { document, ...rest } = target(({ url = '', method = '', headers }) => {
    const [path, query] = url.split('?');
    if (path !== '/number') return { status: 404 };
    if (method !== 'PUT') return { status: 405, headers: { Allow: 'PUT' } };
    const fits = query === undefined && 'x-a' in headers && 'x-b' in headers;
    return { status: fits ? 204 : 400 };
  });
  const changed = structuredClone(document);
  const operation = objectAt(changed, '/paths/~1number/put');
  delete operation['requestBody'];
  operation['parameters'] = [header('X-A'), header('X-B')];
  operation['responses'] = { 204: { description: 'kept' }, 400: { description: 'wrong' } };
  const result = await run({ ...rest, document: changed });
  expect(result.failures.map(describeFailure)).toEqual([]);
  expect(result.families.get('generated')).toBeGreaterThan(10);
  expect(result.passed).toBe(true);
});

describe('a default response', () => {
  const withDefault = (fallback: JsonObject) => {
    const { document, ...rest } = target(sound);
    const changed = structuredClone(document);
    const responses = objectAt(changed, '/paths/~1number/put/responses');
    delete responses['409'];
    responses['default'] = fallback;
    return { ...rest, document: changed };
  };

  test('is a net and no promise: it need not be seen', async () => {
    const result = await run(withDefault({ description: 'anything else' }), { generated: 1 });
    expect(result.failures.map(describeFailure)).toEqual([]);
    expect(result.obligations.filter(({ description: what }) => what.includes('default'))).toEqual([]);
    expect(result.passed).toBe(true);
  });

  test('is what each answer is judged by that the document has no other response for', async () => {
    const content = { 'text/plain': {} };
    const result = await run(withDefault({ description: 'anything else', content }), { generated: 1 });
    expect(result.failures.length).toBeGreaterThan(0);
    expect(new Set(result.failures.flatMap(({ problems }) => problems))).toEqual(
      new Set(['expected the media type text/plain, got none']),
    );
  });
});

test('the report is a page of its own, whatever the answers say', async () => {
  const reply = { status: 200, body: '<script src="https://example.org/x.js"></script>' };
  const result = await run(target((request, body) => (body === '' ? sound(request, body) : reply)));
  const html = htmlPage(result, headline(result), { columns: [], rows: [] }, []);
  expect(html).not.toMatch(/(?:src|href)="?https?:/);
  expect(html).toContain('&lt;script src=');
});
