import { readFileSync } from 'node:fs';
import { request } from 'undici';
import { exampleRequest, messageOf } from '../../../dist/contract/index.js';

/** The only token that the servers accept. */
export const TOKEN = 'a-token-that-is-as-long-as-tokens-are';

const document = JSON.parse(
  readFileSync(new URL('../../../generated/openapi.json', import.meta.url), 'utf8'),
);
const example = exampleRequest(document);
const { method, path, headers, body } = messageOf(example, TOKEN);
const withToken = (token) => messageOf(example, token).headers;
const plant = JSON.parse(body);
/** The body of the example with other members. */
const bodyOf = (members) => JSON.stringify({ ...plant, ...members });

/** The example of the document as every generator sends it. */
export const post = (id) => ({ path, method, headers, body: bodyOf({ id, name: 'Monstera deliciosa' }) });

/** Sends one request, with the given parts of `post` replaced. */
export async function send(origin, id, replaced = {}) {
  const { statusCode, body } = await request({ origin, ...post(id), ...replaced });
  return { status: statusCode, text: await body.text() };
}

const CASES = [
  { status: 200, replaced: {}, answer: '{"name":"Monstera deliciosa","tag":"tropical"}' },
  { status: 400, replaced: { body: bodyOf({ id: '42' }) } },
  { status: 400, replaced: { body: bodyOf({ name: undefined }) } },
  { status: 400, replaced: { body: '{"id":42' } },
  { status: 401, replaced: { headers: withToken(undefined) } },
  { status: 401, replaced: { headers: withToken('another') } },
];

/** What a server answers wrongly, in words; to measure that would compare unlike things. */
export async function check(origin) {
  const wrong = [];
  for (const [id, { status, replaced, answer }] of CASES.entries()) {
    const got = await send(origin, id, replaced);
    if (got.status === status && (answer ?? got.text) === got.text) continue;
    wrong.push(
      `${JSON.stringify(replaced)}: expected ${status} ${answer ?? ''}, got ${got.status} ${got.text}`,
    );
  }
  return wrong;
}
