import contract from '../../generated/openapi.json';
import { plainList, type Exchange, type Subject } from './adversary';
import { names, nesting, numbers, space, strings } from './json';
import { texts, type Text } from './inputs';
import { AUTHORIZED } from '../testing/plant-service';

export const PLANT_STORE = 'the shipped plant store';

const TYPED = [...Object.entries(AUTHORIZED), ['Content-Type', 'application/json'] as const];
const post = (body: string): Exchange => ({ target: '/plants', headers: TYPED, body });

/** Where a body of `POST /plants` can hold what grows. */
const BODIES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `{"id":${text},"name":"x"}`,
  (text) => `{"id":1,"name":${text}}`,
  (text) => `{"id":1,"name":"x","tag":${text}}`,
  (text) => `{"id":1,"name":"x","more":${text}}`,
];

/** The plant store as it ships, its limits but for the size of headers and bodies: nothing may hold its event loop. */
export function plantSubjects(): Subject[] {
  const innocent = (size: number): Exchange => post(`{"id":1,"name":"x","more":${plainList(size)}}`);
  const bodies = [...numbers, ...strings, ...nesting, ...names, ...space].flatMap(({ name, make }) =>
    BODIES.map((wrap) => ({ name: `${wrap('...')}: ${name}`, make: (size: number) => wrap(make(size)) })),
  );
  const heads: readonly (readonly [string, Text[], (text: string) => Exchange])[] = [
    [
      'Authorization',
      texts([' ', 'a', '=', 'a=', ','], { starts: ['Bearer ', ''] }),
      (text) => ({ target: '/plants', headers: [['Authorization', text]] }),
    ],
    [
      'Content-Type',
      texts([';', ' ', ';a=b', '; a="b"', '"'], { starts: ['application/json'], ends: ['', 'x'] }),
      (text) => ({ ...post('{}'), headers: [...Object.entries(AUTHORIZED), ['Content-Type', text]] }),
    ],
    [
      'the path',
      texts(['/', '/plants', '%', '.', ';', '?', '&'], { starts: ['/plants'] }),
      (text) => ({ target: text, headers: TYPED }),
    ],
  ];
  return [
    ...[
      {
        about: 'bodies',
        adversaries: bodies.map(({ name, make }) => ({
          name,
          hostile: (size: number) => post(make(size)),
          innocent,
        })),
      },
    ],
    ...heads.map(([about, inputs, put]) => ({
      about,
      adversaries: inputs.map(({ name, make }) => ({
        name,
        hostile: (size: number) => put(make(size)),
        innocent,
      })),
    })),
  ].map(({ about, adversaries }) => ({
    about: `${PLANT_STORE}: ${about}`,
    direction: 'in',
    document: contract,
    adversaries,
  }));
}
