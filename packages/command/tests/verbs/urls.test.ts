import { convertTo31 } from '../../src/document/source/convert';
import { OpenApiDocument } from 'contract-first-server/tools';

/** A document with one URL in each place that the specification has for one (OpenAPI 3.1.1 sections 4.8.1 to 4.8.28). */
const documentWith = (url: string, openapi: string) => {
  const externalDocs = { url };
  const flow = { authorizationUrl: url, tokenUrl: url, refreshUrl: url, scopes: {} };
  const { authorizationUrl, tokenUrl, refreshUrl, scopes } = flow;
  return {
    openapi,
    info: { title: 'A', version: '1', termsOfService: url, contact: { url }, license: { name: 'A', url } },
    servers: [{ url }],
    externalDocs,
    tags: [{ name: 'a', externalDocs }],
    paths: {
      '/a': {
        servers: [{ url }],
        get: {
          operationId: 'a',
          externalDocs,
          servers: [{ url }],
          responses: { 200: { $ref: '#/components/responses/A' } },
        },
      },
    },
    components: {
      schemas: { A: { type: 'string', externalDocs } },
      examples: { A: { externalValue: url } },
      responses: { A: { description: '', links: { A: { operationRef: url, server: { url } } } } },
      securitySchemes: {
        A: { type: 'openIdConnect', openIdConnectUrl: url },
        B: {
          type: 'oauth2',
          flows: {
            implicit: { authorizationUrl, refreshUrl, scopes },
            password: { tokenUrl, refreshUrl, scopes },
            clientCredentials: { tokenUrl, refreshUrl, scopes },
            authorizationCode: flow,
          },
        },
      },
    },
  };
};

describe.each(['3.1.1', '3.0.3'])('the URLs of a document of OpenAPI %s', (version) => {
  const read = (url: string) => {
    const document = documentWith(url, version);
    convertTo31(document, String);
    return new OpenApiDocument(document);
  };

  it.each([
    'https://example.com/a?b=c#d',
    '//example.com',
    '/oauth/token',
    'token',
    './a',
    '../a/b',
    '?a=b',
    'a%20b',
    'mailto:a@example.com',
    '',
  ])('may be %j', (url) => {
    const { findings, remarks } = read(url);
    expect([...findings, ...remarks]).toEqual([]);
  });

  it.each(['see our site', 'https://example.com/<id>', 'a%2', 'a\\b', 'http://exämple.com/"'])(
    'may not be %j',
    (url) => {
      const { findings, remarks } = read(url);
      expect(findings).toEqual([]); // only documentation needs them
      const places = remarks.flatMap(({ pointer, message }) =>
        message.startsWith('is not a URI reference (RFC 3986): only documentation needs it') ? pointer : [],
      );
      expect(places).toEqual(
        expect.arrayContaining([
          '/info/termsOfService',
          '/info/contact/url',
          '/info/license/url',
          '/externalDocs/url',
          '/tags/0/externalDocs/url',
          '/paths/~1a/get/externalDocs/url',
          '/components/securitySchemes/A/openIdConnectUrl',
          '/components/securitySchemes/B/flows/authorizationCode/refreshUrl',
        ]),
      );
    },
  );
});
