import type { RawResponse } from '../../src/wire/message';
import { challengeFindings } from '../../src/check/www-authenticate';
import { read } from '../support/document';

const BEARER = 'Bearer realm="a, b"';
const cases: readonly [schemes: string[], header: string, isCorrect: boolean][] = [
  [['token'], BEARER, true],
  [['token'], 'bearer', true],
  [['token'], `${BEARER}, error="x, Basic y"`, true],
  [['token'], 'Basic realm="a"', false],
  [['token'], `${BEARER}, Basic realm="a"`, false],
  [['token'], `${BEARER}, ApiKey`, false],
  [['token'], `${BEARER}, ${BEARER}`, false],
  [['token'], `${BEARER}, Bearer realm="c"`, true],
  [['key'], 'ApiKey', true],
  [['key'], BEARER, true],
  [['login', 'key'], 'Basic realm="a", ApiKey', true],
  [['login', 'key'], 'ApiKey in="header", name="X-Key", Basic realm="a", charset="UTF-8"', true],
  [['login', 'key'], 'Basic realm="a"', true],
  [['login', 'key'], 'ApiKey', true],
  [['login', 'key'], 'Digest realm="a"', false],
  [['login', 'key'], `Basic realm="a", ${BEARER}`, false],
  [['login', 'key'], `Basic realm="a", ApiKey, ${BEARER}`, false],
  [['login', 'token', 'key'], `${BEARER}, Basic realm="a", ApiKey`, true],
  [['login', 'token', 'key'], `${BEARER}, ApiKey`, true],
  [['login', 'token', 'key'], 'Digest realm="a"', false],
];

const securitySchemes = {
  token: { type: 'http', scheme: 'bearer' },
  login: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
};

describe.each([
  ['all required', (names: string[]) => [Object.fromEntries(names.map((name) => [name, []]))]],
  ['alternatives', (names: string[]) => names.map((name) => ({ [name]: [] }))],
])('a 401 of an operation with security schemes, %s,', (_, securityOf) => {
  test.each(cases)('with the schemes %j and the challenge %s is correct: %s', (names, header, isCorrect) => {
    const { document, operation } = read(
      { post: { responses: {} } },
      { security: securityOf(names), components: { securitySchemes } },
    );
    const response: RawResponse = {
      status: 401,
      headers: [['WWW-Authenticate', header]],
      body: Buffer.alloc(0),
    };
    const reasons = ['missing credentials', 'invalid credentials'] as const;
    const problems = challengeFindings(document, operation, reasons, response);
    expect(problems.map(({ message }) => message)).toEqual(
      isCorrect ? [] : [expect.stringContaining('expected a challenge for') as string],
    );
  });
});
