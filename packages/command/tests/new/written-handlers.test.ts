import { join } from 'node:path';
import { stringify } from 'yaml';
import { useFolder } from '../../../../scripts/testing/folder';
import { readSource } from '../../src/document/source/source';
import { type Layout, layOut } from '../../src/new/layout';
import { namesFrom } from '../../src/new/names';

// The handlers of resources.yaml. (written-code.slow.test.ts compiles and lints them.)

let layout: Layout;
beforeAll(async () => {
  const names = namesFrom('harbor', 'Harbor');
  if (!names) throw new Error('expected names');
  layout = await layOut(readSource(join(__dirname, 'resources.yaml')), names, '3.0.0');
});

it('says at the stub of an operation that creates objects which handlers wait for it', async () => {
  const names = namesFrom('photos', 'Photos');
  if (!names) throw new Error('expected names');
  const { stubs } = await layOut(readSource(join(__dirname, '../e2e/photos/photos.yaml')), names, '3.0.0');
  expect(stubs.find(({ operation }) => operation.operationId === 'uploadPhoto')?.reason).toMatch(
    /\. Until you write it, there is no object for listPhotos, getPhoto, deletePhoto$/,
  );
});

const textOf = (file: string) => layout.files[file]?.replace(/\s+/g, ' ') ?? '';

it('writes every handler but those of a second path to the same objects, and of objects without the key of their path', () => {
  const nowhere =
    'its objects have no property for log_id, by which their path names them: decide where it comes from';
  expect(layout.stubs.map(({ operation, reason }) => [operation.operationId, reason]).sort()).toEqual([
    ['createLog', nowhere],
    ['getLog', nowhere],
    ['getOldShip', 'its path names the objects of /ships/{guid}: decide what differs here'],
  ]);
  expect(layout.handlers).toHaveLength(21);
});

it.each([
  [
    'takes the properties that a body requires from a body that the overlay requires',
    'create-ship',
    'async ({ body }) => { const ship = await store.ships.add({ ...body, guid: randomUUID() });',
  ],
  [
    'sends the URL of what it has created',
    'create-ship',
    'return { status: 201, headers: { Location: `/ships/${encodeURIComponent(ship.guid)}` }, body: ship };',
  ],
  ['changes nothing without a body', 'change-ship', 'async ({ path: { guid }, body = {} }) => {'],
  [
    'changes what a request has, where it cannot replace an object',
    'change-ship',
    'await store.ships.change(guid, body)',
  ],
  [
    'answers 404 with a body of another form than usual',
    'get-ship',
    "throw new Problem<OwnKind>('noSuchResource', `there is no ship ${guid}`);",
  ],
  [
    'answers with the object that it has deleted',
    'delete-ship',
    'const ship = await store.ships.get(guid); if (ship && await store.ships.remove(guid)) return { status: 200, body: ship };',
  ],
  [
    'says that it has deleted an object',
    'delete-crew',
    'if (await store.crews.remove(id)) return { status: 200, body: { success: true } };',
  ],
  [
    'makes a key that the client does not give, and answers with a list of one',
    'create-crew',
    "await store.crews.add({ ...body, id: body.id ?? randomUUID() }); if (crew === 'unique') return { status: 409, body: errorBody('conflict', 'the id is taken') }; return { status: 201, body: [crew] };",
  ],
  ['deletes without a body', 'delete-call', 'return { status: 204 };'],
  ['creates without a body', 'create-call', 'await store.calls.add({ dock, createdAt: now });'],
  [
    'draws a number for a key that is a text in objects and a number in the path',
    'create-buoy',
    'store.buoys.add({ ...body, id: String(randomInt(1, 2 ** 47)) })',
  ],
  [
    'reads by the text of the number in the path',
    'get-buoy',
    'path: { buoy_id } }) => { const id = String(buoy_id); const buoy = await store.buoys.get(id);',
  ],
  [
    'deletes by the text of the number in the path',
    'delete-buoy',
    'const id = String(buoy_id); if (await store.buoys.remove(id))',
  ],
  [
    'reads by the number of the text in the path',
    'get-anchor',
    'path: { id: idInPath } }) => { if (!/^(0|-?[1-9]\\d{0,17})$/.test(idInPath)) return { status: 404 }; const id = BigInt(idInPath);',
  ],
  [
    'replaces by the number of the text in the path',
    'replace-anchor',
    'return { status: 404 }; const id = BigInt(idInPath); const anchor = await store.anchors.change(id, body);',
  ],
  ['takes the key that the last word of a parameter names', 'get-flag', 'store.flags.get(name)'],
  [
    'says which parameters it does not use',
    'get-flag',
    '=> { // To do: decide what expand (query) changes here. const flag = await store.flags.get(name);',
  ],
  ['takes keys in the order of the path', 'get-call', 'await store.calls.get(dock, id);'],
  [
    'says which page a list is',
    'list-ships',
    'previous_page: pageNumber <= 1 ? null : BigInt(pageNumber - 1), next_page: pageNumber * per_page >= count ? null : BigInt(pageNumber + 1), last_page: Math.max(Math.ceil(count / per_page), 1), total_entries: count',
  ],
])('%s', (_, file, code) => {
  expect(textOf(`src/handlers/${file}.ts`)).toContain(code);
});

it('lists in the order that a parameter names, or in a direction', () => {
  const ships = textOf('src/storage/ships.ts');
  expect(ships).toContain("'name:desc': sql`${ships.name} DESC`");
  expect(ships).toContain('ORDER BY ${sort === undefined ? sql`` : sql`${sorts[sort]}, `}${ships.guid}');
  expect(textOf('src/storage/calls.ts')).toContain(
    'const direction = /^desc/i.test(order) ? sql`DESC` : sql`ASC`;',
  );
});

describe('a list', () => {
  const folder = useFolder();
  const int64 = { type: 'integer', format: 'int64' };
  const ship = {
    type: 'object',
    required: ['id', 'name'],
    properties: { id: int64, name: { type: 'string' } },
  };
  const query = (name: string, schema: object) => ({ name, in: 'query', schema });
  const sort = (...values: string[]) => query('sort', { type: 'string', enum: values });
  const pages = [
    query('page', { type: 'integer', default: 1 }),
    query('per_page', { type: 'integer', default: 9 }),
  ];
  const listOf = (properties: object) => ({
    type: 'object',
    required: Object.keys(properties),
    properties: { ships: { type: 'array', items: ship }, ...properties },
  });
  const json = (schema: object) => ({ description: '', content: { 'application/json': { schema } } });
  const laidOut = async (parameters: readonly object[], schema: object) => {
    const paths = {
      '/ships': {
        get: { operationId: 'listShips', parameters, responses: { 200: json(schema) } },
        post: {
          operationId: 'addShip',
          requestBody: { ...json(ship), required: true },
          responses: { 201: json(ship) },
        },
      },
      '/ships/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: int64 }],
        get: { operationId: 'getShip', responses: { 200: json(ship), 404: { description: '' } } },
      },
    };
    const root = { openapi: '3.1.0', info: { title: 'Harbor', version: '1' }, paths };
    const names = namesFrom('harbor', 'Harbor');
    if (!names) throw new Error('expected names');
    return layOut(readSource(folder.write({ 'harbor.yaml': stringify(root) })), names, '3.0.0');
  };
  const plain = { type: 'array', items: ship };

  it.each([
    ['sorts by each form of a value', [sort('name', '-name', '+id', 'id.desc')], plain],
    ['sorts in a direction', [sort('name'), query('order', { enum: ['asc', 'desc'] })], plain],
    ['says which page is next, or null', pages, listOf({ next_page: { type: ['integer', 'null'] } })],
  ])('%s', async (_, parameters, schema) => {
    const { stubs, files } = await laidOut(parameters, schema);
    expect(stubs.filter(({ operation }) => operation.operationId === 'listShips')).toEqual([]);
    const sorted = /const sorts = \{[^;]*/.exec(files['src/storage/ships.ts'] ?? '')?.[0] ?? '';
    expect(sorted.match(/ DESC`/g)?.length ?? 0).toBe(sorted.match(/'(?:-name|id\.desc)'/g)?.length ?? 0);
  });

  it.each([
    ['a value names no column', [sort('name', 'popularity')], plain, 'does not say what sort selects'],
    [
      'a cursor stands for a place in another order',
      [sort('name'), query('starting_after', int64)],
      plain,
      'a cursor in another order',
    ],
    [
      'a value has a direction, and a parameter too',
      [sort('-name'), query('order', { enum: ['asc', 'desc'] })],
      plain,
      'a second direction',
    ],
    [
      'the last page would need a number of the next',
      pages,
      listOf({ next_page: { type: 'integer' } }),
      'next_page',
    ],
  ])('is a stub if %s', async (_, parameters, schema, reason) => {
    const { stubs } = await laidOut(parameters, schema);
    expect(stubs.find(({ operation }) => operation.operationId === 'listShips')?.reason).toContain(reason);
  });
});

it('has no column for a secret that nobody gives', () => {
  expect(textOf('src/storage/ships.ts')).toMatch(/guid: TEXT\.primaryKey\(\), name: TEXT, built: INTEGER/);
  expect(textOf('src/storage/ships.ts')).not.toContain('accessToken');
});

it('says which handlers leave a parameter to the team', () => {
  expect(layout.notes).toContain(
    'getFlag: the document does not say what expand (query) changes, so the handler does not use it. Search src/handlers for "To do"',
  );
});

it('documents what the handlers need', () => {
  expect(layout.notes).toContain(
    'createShip: openapi/overlay.yaml requires the request body, because its schema requires properties',
  );
  const overlay = textOf('openapi/overlay.yaml');
  expect(overlay).toMatch(/target: \$\.paths\['\/ships'\]\.post\.requestBody [^$]* update: required: true/);
  expect(overlay).not.toMatch(/\['\/ships\/\{guid\}'\]\.put\.requestBody/);
  expect(overlay).toMatch(/\['\/crews'\]\.post\.responses [^$]* "409": description: The id is taken\./);
});

it('proves that a given key is taken with a body that has one', () => {
  expect(textOf('tests/contract/service.ts')).toMatch(
    /createCrew: the id is taken', steps: \[\{ operation: 'createCrew', body: '\{"id":"[^"]+"[^']*', expect: 'success' \}/,
  );
});
