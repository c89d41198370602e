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
