import request from 'supertest';
import { buildDocument, buildService } from '../../../../../scripts/testing/service';
import { accountOf } from './complete';

const enumOf = (...values: string[]) => ({ default: values[0], enum: values });
const numbers = (count: number) => enumOf(...Array.from({ length: count }, (_, i) => `v${i}`));

/** Servers and the resulting base paths of the operation. */
const SERVED: readonly (readonly [title: string, server: object, bases: readonly string[]])[] = [
  ['no path', { url: 'https://api.example.com' }, ['']],
  ['a slash at the end', { url: 'https://api.example.com/v1/' }, ['/v1']],
  ['a relative URL', { url: './v1/a/../b' }, ['/v1/b']],
  ['no authority', { url: '//api.example.com/v1' }, ['/v1']],
  ['a variable of the path', { url: '/{v}', variables: { v: enumOf('v1', 'v2') } }, ['/v1', '/v2']],
  [
    'two variables in one segment',
    { url: '/{a}-{b}', variables: { a: enumOf('1', '2'), b: enumOf('3', '4') } },
    ['/1-3', '/1-4', '/2-3', '/2-4'],
  ],
  ['a value with slashes', { url: '/{v}/a', variables: { v: enumOf('v1/x', 'v2') } }, ['/v1/x/a', '/v2/a']],
  ['an empty value', { url: '/{v}', variables: { v: enumOf('', 'v2') } }, ['', '/v2']],
  [
    'variables of the scheme and the authority',
    {
      url: '{scheme}://{user}.example.com:{port}/v1',
      variables: { scheme: enumOf('https', 'http'), user: { default: 'a' }, port: enumOf('80', '81') },
    },
    ['/v1'],
  ],
  [
    'the whole URL as a variable',
    { url: '{base}', variables: { base: enumOf('https://a.example/v1', '/v2') } },
    ['/v1', '/v2'],
  ],
  ['a value outside of ASCII', { url: '/{v}', variables: { v: enumOf('é') } }, ['/%C3%A9']],
  ['the maximum number of values', { url: '/{v}', variables: { v: numbers(100) } }, ['/v0', '/v99']],
];

it.each(SERVED)('%s', async (_, server, bases) => {
  const document = buildDocument({ servers: [server] });
  expect(accountOf(document)).toEqual({ findings: [], remarks: [] });
  const { app } = buildService({ document, handlers: { postThing: () => Promise.resolve({ status: 204 }) } });
  for (const base of bases) expect((await request(app).post(`${base}/things`)).status).toBe(204);
  if (!bases.includes('')) expect((await request(app).post('/things')).status).toBe(404);
});

it.each<[string, object, string]>([
  [
    'a variable without an enum',
    { url: '/{v}', variables: { v: { default: 'a' } } },
    '/servers/0/variables/v: has no enum: only its default, "a", is served',
  ],
  ['a query', { url: '/v1?a=1#b' }, '/servers/0/url: ?a=1#b is not part of a base path'],
])('for %s a remark lists the unsupported parts', (_, server, remark) => {
  expect(accountOf(buildDocument({ servers: [server] }))).toEqual({ findings: [], remarks: [remark] });
});

it.each<[string, object, string]>([
  [
    'that is not described',
    { url: '/{v}' },
    '/servers/0/url: names the variable v, which the server does not describe',
  ],
  [
    'named like an inherited property',
    { url: '/{constructor}', variables: {} },
    '/servers/0/url: names the variable constructor, which the server does not describe',
  ],
  [
    'whose default is not among its values',
    { url: '/{v}', variables: { v: { default: 'a', enum: ['b'] } } },
    '/servers/0/variables/v/default: is not among the values of its enum',
  ],
  [
    'with too many values',
    { url: '/{v}', variables: { v: numbers(101) } },
    '/servers/0/url: its variables have more than 100 combinations of values',
  ],
  [
    'that result in an invalid URL',
    { url: 'https://{v}/', variables: { v: { default: 'a b' } } },
    '/servers/0/url: "https://a b/" is not a URL',
  ],
])('a variable %s is a finding', (_, server, finding) => {
  expect(accountOf(buildDocument({ servers: [server] })).findings).toContain(finding);
});
