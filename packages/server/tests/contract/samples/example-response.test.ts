import { compileContract, OpenApiDocument, successOf } from 'contract-first-server/tools';
import { buildDocument } from '../../../../../scripts/testing/service';

test.each([
  [undefined, 'application/json'],
  ['application/json', 'application/json'],
  ['text/plain', 'text/plain'],
  ['text/csv', 'text/csv'],
  ['image/png', 'application/json'],
])('where %s is wanted, the sample of a success is %s', (wanted, contentType) => {
  const schema = { type: 'string' };
  const content = { 'text/csv': { schema }, 'text/plain': { schema }, 'application/json': { schema } };
  const root = buildDocument({ operation: { responses: { 200: { description: '', content } } } });
  const [served] = compileContract(root, undefined).served.values();
  expect(served && successOf(new OpenApiDocument(root), served, wanted)?.contentType).toBe(contentType);
});

test.each([
  [undefined, 'application/json'],
  ['image/*', 'image/png'],
  ['image/webp', 'image/webp'],
])('where %s is wanted of JSON and any image, the sample is %s', (wanted, contentType) => {
  const content = {
    'image/*': { schema: { type: 'string', format: 'binary', example: '(binary image data)' } },
    'application/json': { schema: { type: 'string' } },
  };
  const root = buildDocument({ operation: { responses: { 200: { description: '', content } } } });
  const [served] = compileContract(root, undefined).served.values();
  const sample = served && successOf(new OpenApiDocument(root), served, wanted);
  expect(sample?.contentType).toBe(contentType);
  expect(sample?.body instanceof Uint8Array).toBe(contentType !== 'application/json');
});

/** No proof that it admits nothing is at hand. */
const NONE = { allOf: [{ pattern: '^a$' }, { pattern: '^b$' }] };

test.each([
  [{ 200: false, 404: true }, undefined],
  [{ default: false, 500: true }, undefined],
  [{ 200: false, 302: true, 404: true }, 302],
  [{ 404: true }, 404],
])('of responses of which %j can conform, the sample has the status %s', (schemas, status) => {
  const responses = Object.fromEntries(
    Object.entries(schemas).map(([key, can]) => [
      key,
      {
        description: '',
        content: { 'application/json': { schema: { type: 'string', ...(can ? {} : NONE) } } },
      },
    ]),
  );
  const root = buildDocument({ operation: { responses } });
  const [served] = compileContract(root, undefined).served.values();
  expect(served && successOf(new OpenApiDocument(root), served)?.status).toBe(status);
});
