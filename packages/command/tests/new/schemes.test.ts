import { schemesOf } from '../../src/new/schemes';
import { OpenApiDocument, readOperations } from 'contract-first-server/tools';
import { buildDocument } from '../../../../scripts/testing/service';

const bearer = { type: 'http', scheme: 'bearer' };
const basic = { type: 'http', scheme: 'basic' };
const key = { type: 'apiKey', in: 'header', name: 'X-Key' };

test.each<[title: string, securitySchemes: Record<string, object>, variables: string[]]>([
  ['of three kinds', { bearer, basic, key }, ['API_TOKENS', 'API_USERS', 'API_KEYS']],
  ['with names of their own', { one: key, 'the-other': key }, ['ONE_KEYS', 'THE_OTHER_KEYS']],
  [
    'with the same words',
    { 'a-b': basic, a_b: basic, '-': basic },
    ['A_B_USERS', 'A_B_2_USERS', 'API_USERS'],
  ],
])('security schemes %s have a variable each for their secrets', (_, securitySchemes, variables) => {
  const security = Object.keys(securitySchemes).map((name) => ({ [name]: [] }));
  const document = new OpenApiDocument(buildDocument({ security, components: { securitySchemes } }));
  const schemes = schemesOf(document, readOperations(document).values());
  expect(schemes.map(({ secrets }) => secrets)).toEqual(variables);
});
