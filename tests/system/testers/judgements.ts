/** The servers, the causes of their failures, and the defect that a person found by following it. The first that fits counts. */
const JUDGEMENTS: readonly (readonly [server: RegExp, cause: RegExp, defect: string])[] = [
  [/./, /WWW-Authenticate/, 'a 401 has no challenge'],
  [/./, /expected Allow:/, 'a 405 has no Allow'],
  [/^(?:express|hono)$/, /expected the media type application/, 'a refusal of the framework is no JSON'],
  [/^express$/, /absent body/, 'a body that is required and absent is a failure of the server'],
  [
    /^(?:fastify|fastify-swagger)$/,
    /accepted that violates type/,
    'values are converted before they are judged: 7 is taken for "7", "7" for 7 (coerceTypes of ajv, a default)',
  ],
  [/^hono$/, /refused: 4.*holds format/, 'ids beyond 2^53 are refused: z.int() admits safe integers only'],
  [
    /^openapi-backend$/,
    /refused: 4.*holds format/,
    'the largest ids of int64 are refused: its format is judged on doubles',
  ],
  [/^prism$/, /refused: 4.*holds format/, 'ids of int64 beyond 2^53 are refused in a path'],
  [/./, /equivalent media types/, 'white space before the parameters of a media type is refused'],
  [
    /./,
    /refused: 401.*(?:accepted|security)/,
    'the name of the scheme, Bearer or Basic, must have this case',
  ],
  [
    /^petstore$/,
    /no server error, got 500/,
    'operations are not implemented, and pet 0 cannot be written: the example says so',
  ],
  [
    /^petstore$/,
    /security, api_key/,
    'the example has no security handlers: nobody is asked for credentials',
  ],
  [/^petstore$/, /refused: 415/, 'a documented form is refused: the example registers no parser for it'],
  [
    /^(?:scalar|prism|mockoon)$/,
    /security, .*(?:wrong|missing)|expected a 4xx \((?:missing|invalid) credentials/,
    'credentials are not verified: a mock server, by design',
  ],
  [
    /^(?:scalar|prism|mockoon)$/,
    /expected a body that fits/,
    'a recursive schema is cut off: null, "" or {} stand for an object that it requires',
  ],
  [
    /^mockoon$/,
    /expected the header/,
    'headers of integers are sent as "-- Header parsing error, see logs for more details --"',
  ],
  [
    /^mockoon$/,
    /was accepted that violates|malformed JSON|absent body/,
    'requests are not judged: a mock server, by design',
  ],
  [/^scalar$/, /got application\/problem\+json/, 'a documented 400 is answered in another media type'],
  [/^scalar$/, /accepted that violates/, 'bodies of oneOf with a discriminator are not judged'],
  [/^prism$/, /expected a response, got none/, 'malformed JSON is never answered'],
  [/^prism$/, /accepted that violates type/, 'the body null is taken for no body'],
  [
    /^prism$/,
    /unsupported media types.*500|got 500.*unsupported media types|unsupported media types: expected no server error/,
    'a Content-Type that is no media type is a failure of the server',
  ],
];

/** What a person found about a cause of failures; undefined if nobody has looked at it. */
export function judgementOf(server: string, sentence: string, rules: readonly string[]): string | undefined {
  const text = `${sentence} | ${rules.join(' | ')}`;
  return JUDGEMENTS.find(([servers, cause]) => servers.test(server) && cause.test(text))?.[2];
}
