import { OpenApiDocument } from 'contract-first-server/tools';
import { type InspectedTarget, itemsOf } from '../../src/contract/todo-items';
import { buildDocument } from '../../../../scripts/testing/service';

const status = (...keys: number[]) => Object.fromEntries(keys.map((key) => [key, { description: '' }]));

const DOCUMENT = buildDocument({
  paths: { '/loans': { post: { operationId: 'addLoan', responses: status(204, 400, 401, 404, 410, 503) } } },
});

/** A target whose only handler is a stub. */
const target = (more: Partial<InspectedTarget> = {}): InspectedTarget => ({
  described: new OpenApiDocument(DOCUMENT),
  credentials: {},
  stubs: ['addLoan'],
  scenarios: [],
  waiting: [],
  waivers: [],
  ownRefusals: { noSuchResource: { status: 404, operations: [] } },
  ...more,
});
const titles = (more?: Partial<InspectedTarget>) =>
  itemsOf(target(more), () => 'src/handlers/add-loan.ts', []).map((item) => [item.title, ...item.lines]);

it('lists the responses of a new operation that only its handler gives', () => {
  expect(titles()).toEqual([
    [
      '1 operation is a stub that responds from the document: write the handler',
      'addLoan: src/handlers/add-loan.ts',
    ],
    [
      '2 responses of stubs have no scenarios: write them in tests/contract/service.ts',
      "addLoan | response | 404: a scenario that ends in 404 (expect: 'noSuchResource')",
      'addLoan | response | 410: a scenario that ends in 410, and a kind in ownRefusals',
    ],
  ]);
});

it('lists no response with a scenario or a waiver', () => {
  const waiting = [{ title: 'none', steps: [{ operation: 'addLoan', expect: 'noSuchResource' }] }];
  const waivers = [{ obligation: 'addLoan | response | 410 | *', reason: 'to do' }];
  expect(titles({ waiting, waivers }).flat()).toEqual([
    expect.stringMatching(/^1 operation is a stub/),
    'addLoan: src/handlers/add-loan.ts',
    '1 scenario waits for these handlers',
    'none (addLoan)',
    '1 waiver is in tests/contract/service.ts, besides those of the stubs',
    'addLoan | response | 410 | *: to do',
  ]);
  expect(titles({ stubs: [] })).toEqual([]);
});

it('has one line for all waivers of a body', () => {
  const of = (body: string, keyword: string) => ({
    obligation: `addLoan | body ${body} | /components/schemas/Loan ${keyword} | holds`,
    reason: `at the start: ${keyword}`,
  });
  const waivers = [
    of('application/x-www-form-urlencoded', 'type'),
    of('application/x-www-form-urlencoded', 'format'),
    of('application/xml', 'type'),
  ];
  expect(titles({ stubs: [], waivers })).toEqual([
    [
      '3 waivers are in tests/contract/service.ts, besides those of the stubs',
      'addLoan | body application/x-www-form-urlencoded: 2 waivers (at the start: type, and 1 more)',
      'addLoan | body application/xml | /components/schemas/Loan type | holds: at the start: type',
    ],
  ]);
});

it('has one line for all parts that are left out for one reason', () => {
  const parts = [
    { target: '$.a', reason: 'XML' },
    { target: '$.b', reason: 'multipart' },
    { target: '$.c', reason: 'XML' },
  ];
  expect(itemsOf(target({ stubs: [] }), () => '', parts)).toEqual([
    {
      title: '3 parts of the document are left out: openapi/overlay.yaml',
      lines: ['$.a, and 1 more (XML)', '$.b (multipart)'],
    },
  ]);
});
