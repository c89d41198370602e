import { type Case, type Expectation, expectRefusal, expectSuccess } from '../src/cases/case';
import { causesOf } from '../src/cause';
import { failureOf } from '../src/failure';
import { groupFailures } from '../src/groups';
import type { Operation } from '../src/document/model';

const operation = (id: string): Operation => ({
  id,
  pointer: `/paths/~1${id}/post`,
  method: 'POST',
  path: `/${id}`,
  parameters: [],
  responses: [],
  security: [[]],
  scopes: [],
});

const sent = (expect: Expectation, changed: Partial<Case> & { id?: string } = {}): Case => ({
  family: 'constraints',
  title: 'a case',
  operation: operation(changed.id ?? 'createPlant'),
  request: { method: 'POST', target: '/a', headers: [] },
  expect,
  proves: [],
  ...changed,
});

const sentences = (failed: Case, ...problems: string[]): string[] =>
  causesOf(failed, problems).map(({ sentence }) => sentence);

const valid = sent(expectSuccess);

describe('the cause of a failure', () => {
  test.each([
    [
      'a value that the handler received',
      ['body application/json at /id = 9007199254740993, got 9007199254740992 (rounded to a double)'],
      ['body application/json at /id = 9223372036854775807, got 9223372036854775808 (rounded to a double)'],
    ],
    [
      'the unlisted property of an item',
      ['no unlisted property, got /plants/0/x'],
      ['no unlisted property, got /plants/12/x'],
    ],
    [
      'the schema of a body',
      ['a body that fits /components/schemas/Plant, got 200 {"id":1}: #/0/id Expected 5'],
      ['a body that fits /components/schemas/Plant, got 200 {"id":[]}: #/17/id Expected 9'],
    ],
    [
      'the members of a scenario',
      ['a body with {"id":1}, got 200 {"id":2}'],
      ['a body with {"id":9}, got 200 {"id":3}'],
    ],
    [
      'no response',
      ['a response, got none: no response within 3000 ms'],
      ['a response, got none: no response within 3000 ms'],
    ],
    [
      'the message of a refused valid request',
      [
        'success, got 400 {"message":"id \\"17\\" is not 6f9619ff-8b86-4d01-b42d-00c04fc964ff at 2026-01-01T00:00:00Z"}',
      ],
      [
        'success, got 400 {"message":"id \\"a\\" is not 7f9619ff-8b86-4d01-b42d-00c04fc964ff at 2027-11-21T10:00:00.123Z"}',
      ],
    ],
  ])('is the same for other values: %s', (_, one, another) => {
    const [first, second] = [one, another].map((problems) =>
      sentences(valid, ...problems.map((text) => `expected ${text}`)),
    );
    expect(first).toEqual(second);
    expect(first).toHaveLength(1);
  });

  test.each([
    ['another status', 'success, got 400 {"error":1}', 'success, got 500 {"error":1}'],
    ['another message', 'success, got 400 {"error":40001}', 'success, got 400 {"error":40002}'],
    ['another schema', 'a body that fits /a, got 200 {}: #/x no', 'a body that fits /b, got 200 {}: #/x no'],
    ['another member', 'a body that fits /a, got 200 {}: #/x no', 'a body that fits /a, got 200 {}: #/y no'],
    ['another header', 'the header A, got none', 'the header B, got none'],
    ['another media type', 'the media type a/b, got text/html', 'the media type a/b, got none'],
  ])('is another for %s', (_, one, another) => {
    expect(sentences(valid, `expected ${one}`)).not.toEqual(sentences(valid, `expected ${another}`));
  });

  test('is the wrong outcome alone, since it explains the other problems', () => {
    expect(
      sentences(
        sent(expectRefusal('invalid request')),
        'expected the media type application/json, got text/plain',
        'expected 400 (invalid request), got 200 {"id":5}',
        'expected the service not to be entered, but it was',
      ),
    ).toEqual(['expected 400 (invalid request), got a success']);
  });

  test('is each problem of an answer with the expected outcome', () => {
    expect(
      sentences(valid, 'expected the header A, got none', 'expected the header B, got none'),
    ).toHaveLength(2);
  });
});

describe('the groups of failures', () => {
  const about = (id: string, keyword: string): string =>
    `${id} | body application/json | /components/schemas/Plant/properties/id ${keyword} | violates`;
  const refused = (id: string, keyword: string, body = ''): ReturnType<typeof failureOf> => {
    const failed = sent(expectRefusal('invalid request'), { id, about: about(id, keyword) });
    const request = { ...failed.request, body: Buffer.from(body) };
    return failureOf({ ...failed, request }, ['expected 400 (invalid request), got 200 {"id":5}']);
  };

  test('unite the operations that break one rule, show the shortest request, and start with the largest', () => {
    const groups = groupFailures([
      refused('createPlant', 'minimum', 'long'),
      refused('createPlant', 'maximum', 'longer'),
      refused('updatePlant', 'maximum', ''),
    ]);
    expect(
      groups.map(({ cases, operations, cause }) => [cases, operations, cause.sentence, cause.pointer]),
    ).toEqual([
      [
        2,
        ['createPlant', 'updatePlant'],
        'a value was accepted that violates maximum of /components/schemas/Plant/properties/id',
        '/components/schemas/Plant/properties/id',
      ],
      [
        1,
        ['createPlant'],
        'a value was accepted that violates minimum of /components/schemas/Plant/properties/id',
        '/components/schemas/Plant/properties/id',
      ],
    ]);
    expect(groups[0]?.example.curl).toContain(`--data-raw ''`);
  });
});
