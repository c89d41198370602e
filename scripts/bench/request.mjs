import { request } from 'undici';

/** The only token that the servers accept. */
export const TOKEN = 'a-token-that-is-as-long-as-tokens-are';

const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${TOKEN}` };

/** POST /plants as every generator sends it. */
export const post = (id) => ({
  path: '/plants',
  method: 'POST',
  headers,
  body: `{"id":${id},"name":"Monstera deliciosa","tag":"tropical"}`,
});

/** Sends one request, with the given parts of `post` replaced. */
export async function send(origin, id, replaced = {}) {
  const { statusCode, body } = await request({ origin, ...post(id), ...replaced });
  return { status: statusCode, text: await body.text() };
}

const CASES = [
  { status: 200, replaced: {}, answer: '{"name":"Monstera deliciosa","tag":"tropical"}' },
  { status: 400, replaced: { body: '{"id":"42","name":"Monstera"}' } },
  { status: 400, replaced: { body: '{"id":42}' } },
  { status: 400, replaced: { body: '{"id":42' } },
  { status: 401, replaced: { headers: { 'Content-Type': 'application/json' } } },
  { status: 401, replaced: { headers: { ...headers, Authorization: 'Bearer another' } } },
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
