import request from 'supertest';
import { buildService } from '../../../../scripts/testing/service';
import { readFiles } from '../../../../scripts/testing/document-server';

// What clients send, byte for byte: the packages stripe 23, qs 6 and axios 1, and http_build_query of PHP.

/** Sends a request to scripts/testing/documents/brackets.yaml. Returns what its handler gets, or the message of the refusal. */
async function received(path: string, text: string): Promise<unknown> {
  let got: unknown;
  const handler = (given: { readonly query?: unknown; readonly body?: unknown }) => {
    got = given.body ?? given.query;
    return Promise.resolve(path === 'GET' ? { status: 200, body: {} } : { status: 204 });
  };
  const { app } = buildService({
    document: await readFiles('brackets.yaml'),
    handlers: { findCustomers: handler, addCustomer: handler, addPlain: handler },
  });
  const response =
    path === 'GET'
      ? await request(app).get(`/v1/customers?${text}`)
      : await request(app)
          .post(`/v1${path}`)
          .set('Content-Type', 'application/x-www-form-urlencoded')
          .send(text);
  return response.ok ? got : [response.status, (response.body as { message: string }).message];
}

const STRIPE =
  'name=A%20%26%20b&address[city]=X&metadata[a]=&metadata[k%20y]=2&lines[0][id]=1&lines[0][tags][0]=a&lines[0][tags][1]=b&lines[1][id]=2';
const QS =
  'name=A%20%26%20b&address%5Bcity%5D=X&metadata%5Ba%5D=&metadata%5Bk%20y%5D=2&lines%5B0%5D%5Bid%5D=1&lines%5B0%5D%5Btags%5D%5B0%5D=a&lines%5B0%5D%5Btags%5D%5B1%5D=b&lines%5B1%5D%5Bid%5D=2';
const CUSTOMER = {
  name: 'A & b',
  address: { city: 'X' },
  metadata: { a: '', 'k y': '2' },
  lines: [{ id: 1n, tags: ['a', 'b'] }, { id: 2n }],
};

describe.each(['/customers', '/plain'])('a form of %s', (path) => {
  it.each([
    ['stripe', STRIPE],
    ['qs', QS],
    ['PHP', QS.replaceAll('%20', '+')],
    ['axios', QS.replace(/(tags%5D%5B)\d/g, '$1')],
  ])('has what %s has sent', async (_, text) => {
    expect(await received(path, text)).toEqual(CUSTOMER);
  });

  it.each([
    ['name=a&address=', { name: 'a', address: '' }],
    [
      'name=a&address[city]=',
      [400, expect.stringContaining('body/address/city must NOT have fewer than 1 characters')],
    ],
    ['name=a&address=x', [400, expect.stringContaining('body/address must match a schema in anyOf')]],
    [
      'name=a&lines[][id]=1&lines[][id]=2',
      [400, 'body/lines has [] before other brackets: expected an index'],
    ],
    ['name=a&lines[0][id]=x', [400, 'body/lines/0/id must be integer']],
    ['name=a&lines[1][id]=1', [400, 'body/lines has 1 items, but none with the index 0']],
    ['name[first]=a', [400, 'body/name[first] is written differently in the document: name']],
    ['name=a&new[x]=1', [400, 'body/new[x] must NOT have additional properties']],
  ])('%s', async (text, expected) => {
    expect(await received(path, text)).toEqual(expected);
  });
});

it.each([
  ['created[gte]=9007199254740993&created[lt]=3', { created: { gte: 9007199254740993n, lt: 3 } }],
  ['created=5', { created: 5 }],
  ['expand[0]=a&expand[1]=b', { expand: ['a', 'b'] }],
  ['expand[]=a&expand[]=b', { expand: ['a', 'b'] }],
  ['expand=a', [400, 'query/expand is an object or a list, so its name needs brackets']],
  ['limit[]=1', [400, 'query/limit[] is not in the document']],
  ['created[gte]=x', [400, expect.stringContaining('query/created')]],
  ['created=1&created[gte]=1', [400, 'query/created[gte] is given with and without brackets']],
])('a query %s', async (query, expected) => {
  expect(await received('GET', query)).toEqual(expected);
});
