import { isOpaque } from '../../../src/contract/codecs/codec';
import { OpenApiDocument } from '../../../src/contract/document/document';
import { buildDocument } from '../../../../../scripts/testing/service';

const Bytes = { type: 'string', format: 'binary' };
const ref = { $ref: '#/components/schemas/Bytes' };

test.each([
  [true, Bytes],
  [true, ref],
  [true, { ...ref, description: 'An image' }],
  [true, { allOf: [ref, { contentMediaType: 'image/png' }] }],
  [false, { ...ref, maxLength: 5 }],
  [false, { allOf: [ref, { maxLength: 5 }] }],
  [false, { anyOf: [ref] }],
])('admits any bytes: %j by %j', (opaque, It) => {
  const document = new OpenApiDocument(buildDocument({ components: { schemas: { It, Bytes } } }));
  const type = { essence: 'image/png', parameters: new Map<string, string>() };
  const body = {
    document,
    key: 'image/png',
    type,
    pointer: '',
    schema: '/components/schemas/It',
    items: undefined,
    isStream: false,
  };
  expect(isOpaque(body)).toBe(opaque);
});
