import type { Profile } from '../../src/profile';
import { run } from '../../src/run';
import { type Reply, routed, targetOf } from '../support/simple-server';

const [JSON_TYPE, EVENTS, CSV] = ['application/json', 'text/event-stream', 'text/csv'];
const BODIES: Readonly<Record<string, string>> = {
  [JSON_TYPE]: '{}',
  [EVENTS]: 'data: a\n\n',
  [CSV]: 'a,b\r\n',
  'text/html': '<p>',
};

/** The type that a server answers with, by Accept; undefined is 406. */
type Choice = (accept: string) => string | undefined;

const of = (type: string): Reply => ({
  status: 200,
  headers: { 'Content-Type': type },
  body: BODIES[type] ?? '',
  own: true,
});

/** The first type that the field names. */
const honored =
  (...types: string[]): Choice =>
  (accept) =>
    accept.includes('*/*') ? types[0] : types.findLast((type) => accept.includes(type));
const onlyJson: Choice = (accept) => (/application\/json|\*\/\*/.test(accept) ? JSON_TYPE : undefined);
const refusedAll: Choice = () => undefined;

/** How a server that answers so breaks the rules: what each profile says, and the state of the obligation in `document`. */
const TABLE: [
  name: string,
  types: string[],
  choice: Choice,
  problem: RegExp | '',
  document: 'warning' | 'failure',
][] = [
  ['each documented type', [JSON_TYPE, EVENTS], honored(JSON_TYPE, EVENTS), '', 'warning'],
  ['one of the ends of a list', [JSON_TYPE, EVENTS, CSV], honored(JSON_TYPE, EVENTS, CSV), '', 'warning'],
  [
    'JSON whatever is accepted',
    [JSON_TYPE, EVENTS],
    () => JSON_TYPE,
    /type text\/event-stream, got application/,
    'warning',
  ],
  [
    'JSON first, whatever is accepted',
    [EVENTS, JSON_TYPE],
    () => JSON_TYPE,
    /type text\/event-stream, got application/,
    'warning',
  ],
  [
    '406 for the type that it has not',
    [JSON_TYPE, EVENTS],
    onlyJson,
    /text\/event-stream, got 406/,
    'warning',
  ],
  [
    '406 for the types that it has not',
    [JSON_TYPE, EVENTS, CSV],
    onlyJson,
    /text\/event-stream, got 406/,
    'warning',
  ],
  ['JSON for a range', [JSON_TYPE, 'image/*'], honored(JSON_TYPE), '', 'warning'],
  ['406 for the only type', [JSON_TYPE], refusedAll, /expected success, got 406/, 'failure'],
  [
    '406 for any type',
    [JSON_TYPE, EVENTS],
    (accept) => (accept === '*/*' ? undefined : onlyJson(accept)),
    /expected success, got 406/,
    'failure',
  ],
  [
    '406 for all types that are documented',
    [JSON_TYPE, EVENTS],
    (accept) =>
      accept.includes(', ') && !accept.includes('undocumented')
        ? undefined
        : honored(JSON_TYPE, EVENTS)(accept),
    /expected success, got 406/,
    'failure',
  ],
  [
    'an undocumented type',
    [JSON_TYPE, EVENTS],
    (accept) => (accept === '' ? JSON_TYPE : 'text/html'),
    /expected the media type/,
    'failure',
  ],
];

describe.each(TABLE)('an answer with %s', (_, types, choice, problem, level) => {
  const paths = {
    '/things': {
      get: {
        operationId: 'listThings',
        responses: {
          200: {
            description: 'things',
            content: Object.fromEntries(
              types.map((type) => [type, type === JSON_TYPE ? { schema: { type: 'object' } } : {}]),
            ),
          },
          '4XX': { description: 'refused' },
        },
      },
    },
  };
  const answer = routed({
    'GET /things': (_parameters, _body, { headers }) => {
      const type = headers.accept === undefined ? JSON_TYPE : choice(headers.accept);
      return type === undefined ? { status: 406 } : of(type);
    },
  });

  test.each(['document', 'strict'] as const)('in the profile %s', async (profile: Profile) => {
    const target = targetOf(paths, answer, { profile, bodyLimit: undefined });
    const { failures, warnings, obligations } = await run(target, { generated: 0, shrink: false });
    const about = (found: typeof failures) =>
      found
        .filter(({ family }) => family === 'media types')
        .flatMap(({ problems }) => problems)
        .join('\n');
    const state = obligations.find(({ key }) => key.endsWith('content negotiation'))?.state;
    const fails = profile === 'strict' || level === 'failure';
    if (problem === '') {
      expect([about(failures), about(warnings), state]).toEqual(['', '', 'PROVEN']);
    } else if (fails) {
      expect(about(failures)).toMatch(problem);
      expect(state).toBe('UNPROVEN');
    } else {
      expect(about(failures)).toBe('');
      expect(about(warnings)).toMatch(problem);
      expect(state).toBe('WARNED');
    }
  });
});
