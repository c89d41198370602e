/** A cause of failures, and what a person found by following it. */
interface Judgement {
  readonly server: RegExp;
  readonly cause: RegExp;
  /** The defect of the server. */
  readonly is: string;
  /** The rule that it breaks. */
  readonly source: string;
}

const SCHEMA = 'OpenAPI 3.1.0 section 4.8.24, schema';
const SECURITY = 'OpenAPI 3.1.0 section 4.8.30';
const MOCK = /^(?:scalar|prism|mockoon)$/;

/** The first that fits counts. */
const JUDGEMENTS: readonly Judgement[] = [
  {
    server: /./,
    cause: /WWW-Authenticate/,
    is: 'a 401 has no challenge',
    source: 'RFC 9110 section 15.5.2: must',
  },
  {
    server: /./,
    cause: /expected Allow:/,
    is: 'a 405 has no Allow',
    source: 'RFC 9110 section 15.5.6: must',
  },
  {
    server: /^(?:fastify|fastify-swagger)$/,
    cause: /accepted that violates type/,
    is: 'values are converted before they are judged: 7 is taken for "7", "7" for 7 (coerceTypes of ajv, a default)',
    source: SCHEMA,
  },
  {
    server: /^hono$/,
    cause: /refused: 4.*holds format/,
    is: 'ids beyond 2^53 are refused: z.int() admits safe integers only',
    source: 'OpenAPI 3.1.0 section 4.4: int64 has 64 bits',
  },
  {
    server: /^openapi-backend$/,
    cause: /refused: 4.*holds format/,
    is: 'the largest ids of int64 are refused: its format is judged on doubles',
    source: 'OpenAPI 3.1.0 section 4.4: int64 has 64 bits',
  },
  {
    server: /^prism$/,
    cause: /refused: 4.*holds format/,
    is: 'ids of int64 beyond 2^53 are refused in a path',
    source: 'OpenAPI 3.1.0 section 4.4: int64 has 64 bits',
  },
  {
    server: /./,
    cause: /equivalent media types/,
    is: 'white space before the parameters of a media type is refused',
    source: 'RFC 9110 section 5.6.6',
  },
  {
    server: /./,
    cause: /refused: 401.*(?:accepted|security)/,
    is: 'the name of the scheme, Bearer or Basic, must have this case',
    source: 'RFC 9110 section 11.1: case-insensitive',
  },
  {
    server: /^petstore$/,
    cause: /no server error, got 500/,
    is: 'operations are not implemented, and pet 0 cannot be written: the example says so',
    source: 'RFC 9110 section 15.6',
  },
  {
    server: /^petstore$/,
    cause: /security, api_key/,
    is: 'the example has no security handlers: nobody is asked for credentials',
    source: SECURITY,
  },
  {
    server: /^petstore$/,
    cause: /refused: 415/,
    is: 'a documented form is refused: the example registers no parser for it',
    source: 'OpenAPI 3.1.0 section 4.8.13, content',
  },
  {
    server: MOCK,
    cause: /security, .*(?:wrong|missing)|expected a 4xx \((?:missing|invalid) credentials/,
    is: 'credentials are not verified: a mock server, by design',
    source: SECURITY,
  },
  {
    server: MOCK,
    cause: /expected a body that fits/,
    is: 'a recursive schema is cut off: null, "" or {} stand for an object that it requires',
    source: 'OpenAPI 3.1.0 section 4.8.14, schema',
  },
  {
    server: /^mockoon$/,
    cause: /expected the header/,
    is: 'headers of integers are sent as "-- Header parsing error, see logs for more details --"',
    source: 'OpenAPI 3.1.0 section 4.8.21, schema',
  },
  {
    server: /^mockoon$/,
    cause: /was accepted that violates|malformed JSON|absent body/,
    is: 'requests are not judged: a mock server, by design',
    source: SCHEMA,
  },
  {
    server: /^scalar$/,
    cause: /got application\/problem\+json/,
    is: 'a documented 400 is answered in another media type',
    source: 'OpenAPI 3.1.0 section 4.8.17, content',
  },
  {
    server: /^scalar$/,
    cause: /accepted that violates/,
    is: 'bodies of oneOf with a discriminator are not judged',
    source: SCHEMA,
  },
  {
    server: /^prism$/,
    cause: /expected a response, got none/,
    is: 'malformed JSON is never answered',
    source: 'RFC 9110 section 3.4',
  },
  {
    server: /^prism$/,
    cause: /accepted that violates type/,
    is: 'the body null is taken for no body',
    source: SCHEMA,
  },
  {
    server: /^prism$/,
    cause:
      /unsupported media types.*500|got 500.*unsupported media types|unsupported media types: expected no server error/,
    is: 'a Content-Type that is no media type is a failure of the server',
    source: 'RFC 9110 section 15.6',
  },
];

/** What a person found about a cause of failures; undefined if nobody has looked at it. */
export const judgementOf = (
  server: string,
  sentence: string,
  rules: readonly string[],
): Pick<Judgement, 'is' | 'source'> | undefined =>
  JUDGEMENTS.find((one) => one.server.test(server) && one.cause.test(`${sentence} | ${rules.join(' | ')}`));
