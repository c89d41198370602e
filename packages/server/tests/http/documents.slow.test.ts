import { OpenApiDocument } from 'contract-first-server/tools';
import { securitySchemes } from 'contract-first-server';
import type { Verifier } from 'contract-first-server/runtime';
import { describeFailure, headline, run, urlTarget } from 'contract-first-prover';
import { strategiesWith, testSecrets } from 'contract-first-prover/service';
import { DOCUMENTS, readFiles, serviceOf } from '../../../../scripts/testing/document-server';

describe('the unchanged prover on other documents', () => {
  test.each(DOCUMENTS)(
    'proves a service of %s',
    async (name) => {
      const result = await run(serviceOf(await readFiles(name)), { generated: 30 });

      // A contradiction between the generator and the oracle is a failure, too.
      expect(result.failures.map(describeFailure)).toEqual([]);
      const open = result.obligations.filter(({ state, passed }) => state !== 'PROVEN' || passed === 0);
      expect(open.map(({ key, reason }) => [key, reason])).toEqual([]);
      expect(result.obligations.length).toBeGreaterThan(4);
      expect({ passed: result.passed, headline: headline(result) }).toMatchObject({ passed: true });
    },
    120_000,
  );

  const BLACK_BOXES = [
    'composition.yaml',
    'files.yaml',
    'media.yaml',
    'openapi-3-2.yaml',
    'parameters.yaml',
    'security.yaml',
    'streams.yaml',
    'uploads.yaml',
  ];
  test.each(BLACK_BOXES)('proves a service of %s as a black box', async (name) => {
    const target = serviceOf(await readFiles(name));
    const server = await target.start();
    const credentials = Object.fromEntries(
      Object.entries(target.credentials).map(([scheme, { valid, invalid }]) => [scheme, { valid, invalid }]),
    );
    const url = `http://127.0.0.1:${server.port}`;
    const { document } = target;
    const result = await run(
      urlTarget({ url, document, credentials, write: true, requestsPerSecond: 10_000 }),
      { generated: 3 },
    );
    await server.close();

    expect(result.failures.map(describeFailure)).toEqual([]);
    expect({ passed: result.passed, headline: headline(result) }).toMatchObject({ passed: true });
  });

  test.each(['security.yaml', 'scopes.yaml'])(
    'proves a service of %s whose credentials are verified by the verifiers of packages/server/src/runtime/',
    async (name) => {
      const json = await readFiles(name);
      const document = new OpenApiDocument(json);
      const verifiers = verifiersOf(document);
      const { environment, credentials } = testSecrets(verifiers, document);
      const strategies = strategiesWith(verifiers, environment, document, {});
      const result = await run(serviceOf(json, { strategies, credentials }), { generated: 5 });

      expect(result.failures.map(describeFailure)).toEqual([]);
      expect({ passed: result.passed, headline: headline(result) }).toMatchObject({ passed: true });
    },
  );

  test('proves a service with patterns that take exponential time in V8', async () => {
    const text = { type: 'string', maxLength: 60, pattern: '^(a|a)*b$' };
    const schema = { type: 'object', properties: { text }, propertyNames: { pattern: '^(x+x+)+y$|^text$' } };
    const operation = {
      operationId: 'putText',
      requestBody: { required: true, content: { 'application/json': { schema } } },
      responses: { 204: { description: 'kept' } },
    };
    const document = {
      openapi: '3.1.0',
      info: { title: 'Patterns', version: '1.0.0' },
      paths: { '/text': { put: operation } },
    };
    const result = await run(serviceOf(document), { generated: 10 });

    expect(result.failures.map(describeFailure)).toEqual([]);
    const open = result.obligations.filter(({ state }) => state !== 'PROVEN');
    expect(open.map(({ key, reason }) => [key, reason])).toEqual([]);
  });
});

/** A verifier for each security scheme of a document, each with a variable of its own. */
function verifiersOf(document: OpenApiDocument): Record<string, Verifier> {
  return Object.fromEntries(
    securitySchemes(document).map(({ name, kind }, i) => {
      if (!kind) throw new Error(`expected a scheme that can be served, got ${name}`);
      return [name, { kind, secrets: `SECRETS_${i}` }];
    }),
  );
}
