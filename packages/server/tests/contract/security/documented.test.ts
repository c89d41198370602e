import { readFileSync } from 'node:fs';
import { openapiOverlay } from 'openapi-format';
import path from 'node:path';
import { parse } from 'yaml';
import { isObject, OpenApiDocument, readOperations } from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { canHappen } from '../../../src/contract/exchange/server-problems';

const TOKEN = { Token: [] };
const SECURITY: readonly (readonly object[] | undefined)[] = [
  ...[undefined, [], [{}], [{}, {}]],
  ...[[TOKEN], [{}, TOKEN], [TOKEN, {}], [{}, {}, { Token: [], key: [] }]],
];

/** A document with an operation for each of them. */
function documentOf(global: readonly object[] | undefined): JsonObject {
  const paths = SECURITY.map((security, i) => {
    const operation = {
      operationId: `get${i}`,
      responses: { 200: { description: '' } },
      ...(security && { security }),
    };
    return [`/${i}`, { get: operation }] as const;
  });
  const securitySchemes = {
    Token: { type: 'apiKey', in: 'header', name: 'Authorization' },
    key: { type: 'apiKey', in: 'query', name: 'key' },
  };
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1.0.0' },
    ...(global && { security: global }),
    paths: Object.fromEntries(paths),
    components: { securitySchemes },
  };
}

test.each(['openapi', 'packages/command/layout/openapi', 'scripts/testing/fixture/openapi'])(
  'the overlay of %s adds 401 to the operations that can answer it, also where no credentials would do',
  async (folder) => {
    const file = path.join(__dirname, '../../../../..', folder, 'overlay.yaml');
    const { actions } = parse(readFileSync(file, 'utf8')) as {
      actions: { target: string; update: object }[];
    };
    const own = actions.filter(({ update }) => isObject(update) && '401' in update);
    expect(own).toHaveLength(1);
    for (const global of SECURITY) {
      const overlaySet = { actions: own } as Parameters<typeof openapiOverlay>[1]['overlaySet'];
      const { data } = (await openapiOverlay(documentOf(global), { overlaySet })) as { data: JsonObject };
      const document = new OpenApiDocument(data);
      for (const operation of readOperations(document)) {
        const happens = canHappen('badCredentials', operation);
        expect(canHappen('noCredentials', operation)).toBe(happens);
        expect([global, operation.security, operation.responses.has('401')]).toEqual([
          global,
          operation.security,
          happens,
        ]);
      }
    }
  },
);
