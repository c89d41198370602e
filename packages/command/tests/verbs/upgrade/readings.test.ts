import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changedReadings, READINGS } from '../../../src/upgrade/readings';
import { buildDocument, json } from '../../../../../scripts/testing/service';

const PAGE = readFileSync(join(__dirname, '../../../../../docs/changes-3.0.0.md'), 'utf8');
const notes = READINGS.map(({ note }) => note);

test('the page of the changes lists the readings of which upgrade has a note', () => {
  const [, section = ''] = PAGE.split('## Documents that are read differently\n');
  const [list = ''] = section.split('\n## ');
  const bullets = list.split(/^- /m).slice(1);
  expect(bullets.map((bullet) => bullet.replace(/\s+/g, ' ').trim())).toEqual(notes);
});

const body = (schema: unknown) => ({ requestBody: { content: json(schema) } });
const of = (operation: object, components: object = {}) => buildDocument({ operation, components });
const scheme = (name: string) => of({}, { securitySchemes: { a: { type: 'http', scheme: name } } });

/** Documents that a reading concerns, by a word of its note. */
const CONCERNED: readonly [word: string, document: object][] = [
  ['nullable', of(body({ type: 'string', nullable: true }))],
  ['discriminator', of(body({ oneOf: [{}], discriminator: { propertyName: 'a' } }))],
  ['brackets', of({ requestBody: { content: { 'application/x-www-form-urlencoded': { schema: {} } } } })],
  ['deepObject', of({ parameters: [{ name: 'a', in: 'query', style: 'deepObject', schema: {} }] })],
  ['pattern', of(body({ pattern: '^a\\-b$' }))],
  ['406', of(body({}))],
  ['password', scheme('Basic')],
  ['challenge', scheme('bearer')],
  ['alternative', of({ security: [{ a: [] }, { b: [] }] })],
  ['rejected are 401', of({ security: [{}] })],
  [
    'stream',
    of({ responses: { 200: { description: '', content: { 'text/event-stream': { schema: {} } } } } }),
  ],
  ['readOnly', of(body({ readOnly: true }))],
  ['no request can conform', of(body({ properties: { a: false } }))],
];

test.each(CONCERNED)('a document with %s gets its note', (word, document) => {
  const note = notes.find((one) => one.includes(word));
  expect(changedReadings(document)).toContain(note);
});

test('each note is shown for some document, and none for one without operations that it concerns', () => {
  const found = new Set(CONCERNED.map(([word]) => notes.findIndex((note) => note.includes(word))));
  expect([...found].sort((a, b) => a - b)).toEqual([...notes.keys()]);
  expect(changedReadings(buildDocument({}))).toEqual([]);
});
