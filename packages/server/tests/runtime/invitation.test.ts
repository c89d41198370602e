import { firstCommand, invitation, OpenApiDocument } from 'contract-first-server/tools';

const responses = { 200: { description: 'Done.' } };
const found = { ...responses, 404: { description: 'None.' } };
const byId = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const get = { operationId: 'getThing', parameters: [byId], responses: found };
const put = { operationId: 'putThing', parameters: [byId], responses };

const documentOf = (paths: object, security: object[] = []) =>
  new OpenApiDocument({
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    security,
    paths,
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
  });
const ADDRESS = 'http://127.0.0.1:3000';

test('a command needs no secret where the document demands none', () => {
  const document = documentOf({ '/things/{id}': { get, put } });
  expect(firstCommand(document, ADDRESS)).toBe(`\nTry it:\n\n  curl -i -X PUT ${ADDRESS}/things/1\n`);
});

test('a configured secret is not printed', () => {
  const document = documentOf({ '/things/{id}': { put } }, [{ key: [] }]);
  expect(firstCommand(document, ADDRESS)).toBe(
    `\nTry it, with a secret of yours in place of SECRET:\n\n  curl -i -X PUT ${ADDRESS}/things/1 \\\n    -H 'X-Key: SECRET'\n`,
  );
});

test('no command is one that would find nothing', () => {
  const document = documentOf({ '/things/{id}': { get } }, [{ key: [] }]);
  expect(firstCommand(document, ADDRESS)).toBeUndefined();
  const generated = new Map([['key', { variable: 'API_KEYS', secret: 'a', credential: 'a' }]]);
  const text = invitation(document, ADDRESS, generated);
  expect(text).not.toContain('curl');
  expect(text).toContain('Try it on http://127.0.0.1:3000/-/docs:');
});
