import { openapiOverlay } from 'openapi-format';
import { toServable } from '../../src/new/servable';
import { compileContract } from 'contract-first-server/tools';
import { type JsonObject } from 'contract-first-server';
import { buildDocument, json } from '../../../../scripts/testing/service';

const securitySchemes = {
  tls: { type: 'mutualTLS' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
};

/** The document that the actions make of the given one. */
async function overlaid(given: JsonObject, actions: readonly object[]): Promise<JsonObject> {
  const overlaySet = { overlay: '1.0.0', actions } as Parameters<typeof openapiOverlay>[1]['overlaySet'];
  const { data } = (await openapiOverlay(structuredClone(given), { overlaySet })) as { data: JsonObject };
  return data;
}

it.each([true, false])(
  'leaves the alternatives of security that are served (of the operation itself: %s)',
  async (isOwn) => {
    const security = [{ tls: [] }, { key: [] }, { key: [], tls: [] }];
    const given = {
      ...buildDocument({ operation: isOwn ? { security } : {}, components: { securitySchemes } }),
      ...(!isOwn && { security }),
    };
    const { root, actions } = toServable(given);
    expect(JSON.stringify(root)).toContain('"security":[{"key":[]}]');
    expect(compileContract(root).remarks).toEqual([]);
    expect(await overlaid(given, actions)).toEqual(root);
  },
);

it('names all reasons why an operation is left out', () => {
  const wrong = { type: 'strin' };
  const { actions } = toServable(
    buildDocument({
      operation: {
        parameters: [{ name: 'a', in: 'query', schema: { $dynamicRef: '#a' } }],
        requestBody: { content: json({ properties: { a: wrong, b: { $id: 'x' } } }) },
      },
    }),
  );
  expect(actions.map(({ description }) => description).join()).toMatch(
    /dynamic references cannot be served.*; .*base URI|base URI.*; dynamic references/,
  );
});
