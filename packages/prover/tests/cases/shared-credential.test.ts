import { run } from '../../src/run';
import { documentOf } from '../support/document';
import { type serve, target } from '../support/simple-server';

test('one token that is that of two schemes is sent once, and both are tested by it', async () => {
  const secret = { valid: 'secret', invalid: 'wrong' };
  const scheme = { type: 'http', scheme: 'bearer' };
  const answer: Parameters<typeof serve>[0] = ({ headersDistinct, method, url }) => {
    const [path, query] = url?.split('?') ?? [];
    const [sent = '', ...more] = headersDistinct['authorization'] ?? [];
    if (path !== '/things') return { status: 404 };
    if (method !== 'GET' && method !== 'HEAD') return { status: 405, headers: { Allow: 'GET' } };
    if (more.length > 0) return { status: 400 };
    if (!/^bearer secret$/i.test(sent) || !sent.endsWith('secret'))
      return {
        status: 401,
        headers: {
          'WWW-Authenticate': `Bearer realm="things"${/^bearer \S+$/i.test(sent) ? ', error="invalid_token"' : ''}`,
        },
      };
    return { status: query === undefined ? 204 : 400 };
  };
  const { obligations, failures } = await run({
    ...target(answer),
    document: documentOf(
      {
        get: {
          operationId: 'list',
          security: [{ first: [], second: [] }],
          responses: { 204: { description: 'none' }, '4XX': { description: 'a refusal' } },
        },
      },
      { components: { securitySchemes: { first: scheme, second: scheme } } },
    ),
    credentials: { first: secret, second: secret },
  });
  expect(failures).toEqual([]);
  const security = obligations.filter(({ kind }) => kind === 'security');
  expect(security.map(({ description, state }) => [description, state])).toEqual(
    ['accepted', 'missing', 'wrong', 'malformed', 'doubled', 'misplaced'].map((scenario) => [
      `security | first and second | ${scenario}`,
      'PROVEN',
    ]),
  );
});
