import { readDocument } from '../../src/document/reader';

test('each operation has a name, also where two have one operationId', () => {
  const get = { operationId: 'list', responses: {} };
  const { operations } = readDocument({
    openapi: '3.1.0',
    paths: {
      '/a': { get, put: { responses: {} } },
      '/b': { get, post: { operationId: 'add', responses: {} } },
    },
  });
  expect(operations.map(({ id }) => id)).toEqual(['list', 'PUT /a', 'GET /b', 'add']);
});
