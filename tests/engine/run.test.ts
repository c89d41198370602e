import type { JsonObject } from './json/json';
import type { Value } from './json/value';
import { readDocument } from './document/read';
import { objectAt } from './json/pointer';
import { openLedger } from './ledger';
import { contractReport } from './report/contract-report';
import { withoutSource } from './profile';
import { htmlPage } from './report/page';
import { describeFailure, headline, formatReport } from './report/text';
import { run } from './run';
import { createOracle, type Oracle } from './schema/oracle';
import { correctServer, target } from './simple-server';

const WAIVER = { obligation: /409/, reason: 'no conflict can occur' };

describe('a run', () => {
  test('fails if a documented status never occurs', async () => {
    const result = await run(target(correctServer));
    expect(result.failures.map(describeFailure)).toEqual([]);
    expect(
      result.obligations.filter(({ state }) => state === 'UNPROVEN').map(({ key, reason }) => [key, reason]),
    ).toEqual([
      [
        'putNumber | response | 409 | no body',
        'no request caused this response: add a scenario or a waiver to the target',
      ],
    ]);
    expect(result.passed).toBe(false);
  });

  test('passes if a waiver covers the status, and shows the reason', async () => {
    const result = await run(target(correctServer, [WAIVER]));
    expect(result.passed).toBe(true);
    expect(headline(result)).toMatch(
      /^PROVEN \d+\/\d+, WAIVED 1, UNPROVEN 0, BLOCKED 0, \d+ requests, \d+\.\d s$/,
    );
    expect(formatReport(result)).toContain(WAIVER.reason);
  });

  test('blocks every obligation if the server refuses every request', async () => {
    const result = await run(
      target(() => ({ status: 401, headers: { 'WWW-Authenticate': 'Bearer' } }), [WAIVER]),
    );
    expect(new Set(result.obligations.map(({ state }) => state))).toEqual(new Set(['BLOCKED']));
    expect(result.requests).toBe(1);
    expect(result.passed).toBe(false);
  });

  test('ignores a waiver for an obligation that a case disproves', async () => {
    const result = await run(
      target(
        (request, body) => (body.trim() === '1000001' ? { status: 204 } : correctServer(request, body)),
        [{ obligation: /./, reason: 'everything' }],
      ),
    );
    expect(result.obligations.find(({ key }) => key.endsWith('maximum | violates'))?.state).toBe('UNPROVEN');
  });

  test('finds a fault away from every bound by generated requests, shrinks it, and reports seed and path', async () => {
    const broken = target((request, body) =>
      Number(body) > 4321 && Number(body) < 1_000_000 ? { status: 400 } : correctServer(request, body),
    );
    const [first, ...others] = (await run(broken)).failures;
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      family: 'generated',
      curl: expect.stringContaining(`--data-raw '4322'`) as string,
    });
    expect(first && describeFailure(first)).toMatch(
      /found with seed -?\d+, path [\d:]+; the request is shrunk/,
    );

    const [again] = (await run(broken)).failures;
    expect(again).toEqual(first);
  });
});

test('the remedy for a missing proof names the file in which to add it', () => {
  const { document: json, ...rest } = target(correctServer);
  const document = structuredClone(json);
  Object.assign(objectAt(document, '/paths/~1number/put'), {
    parameters: [{ name: 'name', in: 'query', schema: { type: 'string', minLength: 1 } }],
    security: [{ token: ['write'] }],
  });
  document['components'] = {
    securitySchemes: { token: { type: 'oauth2', flows: { implicit: { scopes: { write: '' } } } } },
  };
  const ledger = openLedger(readDocument(document), { ...rest, document, source: 'tests/service.ts' });
  ledger.close();
  const reasons = [...new Set(ledger.obligations.map(({ reason = '' }) => reason))];
  expect(reasons.length).toBeGreaterThan(5);
  expect(reasons.filter((reason) => reason.includes('the target'))).toEqual([]);
  expect(reasons.filter((reason) => !reason.includes('tests/service.ts'))).toEqual([
    'the credentials of this alternative are missing: add them',
  ]);
});

test('a keyword without a violating value stays unproven, with the reason', async () => {
  const schema = { type: 'string', maxLength: 1_000_000, pattern: '^[a-z]+$' };
  const name = { name: 'name', in: 'query', schema };
  const named = target(
    (request, body) => {
      request.url = request.url?.replace(/\?name=[a-z]+$/, '') ?? '';
      return correctServer(request, body);
    },
    [WAIVER],
  );
  const document = structuredClone(named.document);
  objectAt(document, '/paths/~1number/put')['parameters'] = [name];
  const result = await run({ ...named, document }, { generated: 1 });
  expect(result.failures.map(describeFailure)).toEqual([]);
  const open = result.obligations.filter(({ state }) => state === 'UNPROVEN');
  expect(open.map(({ description, reason }) => [description, reason])).toEqual([
    [
      'query name | /paths/~1number/put/parameters/0/schema maxLength | violates',
      'no value was found that violates maxLength and that query name can carry: remove the keyword if others already exclude such values, or add a waiver to the target',
    ],
  ]);
});

test('proves an operation whose only inputs are two required headers', async () => {
  const header = (name: string) => ({ name, in: 'header', required: true, schema: { type: 'string' } });
  const { document, ...rest } = target(({ url = '', method = '', headers }) => {
    const [path, query] = url.split('?');
    if (path !== '/number') return { status: 404 };
    if (method !== 'PUT') return { status: 405, headers: { Allow: 'PUT' } };
    const isValid = query === undefined && 'x-a' in headers && 'x-b' in headers;
    return { status: isValid ? 204 : 400 };
  });
  const changed = structuredClone(document);
  const operation = objectAt(changed, '/paths/~1number/put');
  delete operation['requestBody'];
  operation['parameters'] = [header('X-A'), header('X-B')];
  operation['responses'] = { 204: { description: 'stored' }, 400: { description: 'invalid' } };
  const result = await run({ ...rest, document: changed });
  expect(result.failures.map(describeFailure)).toEqual([]);
  expect(result.families.get('generated')).toBeGreaterThan(10);
  expect(result.passed).toBe(true);
});

describe('a default response', () => {
  const withDefault = (fallback: JsonObject) => {
    const { document, ...rest } = target(correctServer);
    const changed = structuredClone(document);
    const responses = objectAt(changed, '/paths/~1number/put/responses');
    delete responses['409'];
    responses['default'] = fallback;
    return { ...rest, document: changed };
  };

  test('is no obligation', async () => {
    const result = await run(withDefault({ description: 'anything else' }), { generated: 1 });
    expect(result.failures.map(describeFailure)).toEqual([]);
    expect(result.obligations.filter(({ description }) => description.includes('default'))).toEqual([]);
    expect(result.passed).toBe(true);
  });

  test('describes each answer without another documented response', async () => {
    const content = { 'text/plain': {} };
    const result = await run(withDefault({ description: 'anything else', content }), { generated: 1 });
    expect(result.failures.length).toBeGreaterThan(0);
    expect(new Set(result.failures.flatMap(({ problems }) => problems.map(withoutSource)))).toEqual(
      new Set(['expected the media type text/plain, got none']),
    );
  });
});

test('the HTML report escapes the answers and loads no other resource', async () => {
  const reply = { status: 200, body: '<script src="https://example.org/x.js"></script>' };
  const result = await run(target((request, body) => (body === '' ? correctServer(request, body) : reply)));
  const html = htmlPage(contractReport(result));
  expect(html).not.toMatch(/(?:src|href)="?https?:/);
  expect(html).toContain('&lt;script src=');
});

describe('an error of a library', () => {
  const SENTENCE = 'fc.integer maximum value should be equal or greater than the minimum one';
  /** Fails from a certain call on. */
  const faulty = (calls: number): Oracle => {
    const { document } = target(correctServer);
    const oracle = createOracle(readDocument(document).requests);
    let left = calls;
    const after =
      <Arguments extends unknown[], Result>(ask: (...args: Arguments) => Result) =>
      (...args: Arguments): Result => {
        if (left-- <= 0) throw new TypeError(SENTENCE);
        return ask(...args);
      };
    return {
      valid: after((schema: string, value: Value) => oracle.valid(schema, value)),
      decides: after((schema: string, value: Value) => oracle.decides(schema, value)),
      errors: after((schema: string, value: Value) => oracle.errors(schema, value)),
      breaks: after((schema: string, keyword: string, value: Value) => oracle.breaks(schema, keyword, value)),
    };
  };

  test.each([0, 1, 5, 20, 50, 100, 200, 400, 800])('after %i calls never reaches a person', async (calls) => {
    const result = await run(target(correctServer), { oracle: faulty(calls), generated: 5 });
    expect(JSON.stringify(contractReport(result))).not.toContain(SENTENCE);
    expect(formatReport(result)).not.toContain(SENTENCE);
    expect(result.passed).toBe(false);
  });
});
