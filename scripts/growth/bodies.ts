import { Readable } from 'node:stream';
import { openApi, plainList, type Exchange, type Subject } from './adversary';
import { listOf, repeat, texts, within, type Text } from './inputs';
import { names, numbers, strings } from './json';
import { bodyOf, filled, type Place, SCHEMAS, separated, subject, target } from './places';

const FORM = 'application/x-www-form-urlencoded';
const taking = (type: string, media: object): object => ({ requestBody: { content: { [type]: media } } });
const asJson =
  (name: string): Place =>
  (text) => ({ target: `/things?${name}=${encodeURIComponent(text)}` });

/** A subject whose document is one of OpenAPI 3.2. */
const of32 = (subject: Subject): Subject => ({
  ...subject,
  document: { ...subject.document, openapi: '3.2.0' },
});

const BOUNDARY = 'multipart/form-data; boundary=b';
const LINE = '{"id":1,"name":"Monstera deliciosa"}\n';
/** A part of a form. */
const part = (name: string, text: string) =>
  `\r\n--b\r\nContent-Disposition: form-data; name=${name}\r\n\r\n${text}`;

/** Bodies that are read part by part or line by line. */
function pieceSubjects(): Subject[] {
  const { array, primitive } = SCHEMAS;
  const properties = { probe: primitive, text: { type: 'string' }, list: array, file: { format: 'binary' } };
  const head = '\r\n--b\r\nContent-Disposition: form-data; name="';
  const parts = texts(
    [
      ...[
        '\r\n--',
        '\r\n--b',
        '\r\n--b\r\n',
        '-',
        '\r',
        '\n',
        '\r\n',
        'A: b\r\n',
        ':',
        ';a="',
        '%22',
        '\\',
        ' ',
      ],
      ...[
        ';a=b',
        '"; filename*=',
        part('text', 'x'),
        part('list', '1'),
        part('file', 'x'),
        part('file;filename=a', 'x'),
      ],
    ],
    {
      starts: ['', '\r\n--b\r\n', head, part('text', ''), part('file', ''), `${head}probe"; a="`],
      ends: ['', '\r\n--b--', '"\r\n\r\nx\r\n--b--'],
    },
  );
  const form = bodyOf(BOUNDARY);
  const items = taking('application/jsonl', { 'x-item-schema': {} });
  const jsonl = bodyOf('application/jsonl');
  const lines = texts(['\n', ' ', '\r\n', '1\n', '{}\n', '"a"\n', '[', '\u001e', '1\n\n'], {
    ends: ['', 'x'],
  });
  const sequence = bodyOf('application/json-seq');
  const records = texts(['\u001e', '\u001e1\n', '\u001e\n', ' ', '\n', '1'], {
    starts: ['', '\u001e'],
    ends: ['', 'x'],
  });
  return [
    subject(
      'multipart/form-data',
      taking('multipart/form-data', { schema: { type: 'object', properties } }),
      parts,
      form,
      (size) => form(`${part('text', repeat('plain', size))}\r\n--b--`),
    ),
    subject('lines of JSON', items, lines, jsonl, filled(jsonl, LINE)),
    subject(
      'JSON text sequence',
      taking('application/json-seq', { 'x-item-schema': {} }),
      records,
      sequence,
      filled(sequence, `\u001e${LINE}`),
    ),
  ];
}

/** The item as often as it fits. */
const many = (item: string): Text => ({ name: item, make: (size) => listOf(item, size) });

/** Answers that are written item by item. */
function itemSubjects(): Subject[] {
  const answering = (about: string, type: string, items: readonly Text[], plain: Text): Subject => {
    const content = { [type]: { 'x-item-schema': {} } };
    const post = { operationId: 'postThing', responses: { 200: { description: 'done', content } } };
    const exchange =
      ({ make }: Text) =>
      (size: number): Exchange => {
        const values = JSON.parse(`[${make(size)}]`) as unknown[];
        return { reply: () => ({ status: 200, body: Readable.from(values) }) };
      };
    const innocent = exchange(plain);
    const adversaries = items.map((item) => ({ name: item.name, hostile: exchange(item), innocent }));
    return { about, direction: 'out', document: openApi({ '/things': { post } }), adversaries };
  };
  const pieces = ['\\n', '\\r', '\\r\\n', 'a', ' ', 'a\\n', ':', 'data: ', '\u{1f331}'];
  const events = ['data', 'id', 'event'].flatMap((name) =>
    within(texts(pieces, { ends: ['', '\\u0000'] }), (text) => `{"data":"","${name}":"${text}"}`),
  );
  const empty = ['{"data":""}', '{"data":"","id":""}'].map(many);
  return [
    answering('events', 'text/event-stream', [...events, ...empty], many('{"data":"Monstera deliciosa"}')),
    answering('lines of JSON', 'application/jsonl', ['1', '""', '[]', '{}'].map(many), many(LINE.trim())),
  ];
}

/** Every reader of a body, and of a whole query, but that of JSON. */
export function bodySubjects(): Subject[] {
  const { array, primitive } = SCHEMAS;
  const open = { type: 'object', properties: { plain: array, probe: {} } };
  const listing = { ...open, properties: { plain: array, probe: array }, additionalProperties: primitive };
  const keys = (part: (index: number) => string): Text => ({
    name: `${part(0)}&${part(1)}&...`,
    make: separated('&', part),
  });
  const pairs = [
    ...texts(['a', '&', '=', '+', '%20', '%', '&probe=1', 'probe=1&', '%5B', '[a]', ';', ','], {
      starts: ['', 'probe='],
      ends: ['', '%ff'],
    }),
    keys((i) => `n${i}=1`),
    keys((i) => `n${i}`),
    keys((i) => `probe=${i}`),
    keys((i) => `probe%5Bn${i}%5D=1`),
    keys((i) => `${i}=1`),
  ];
  const types = texts(
    [';', ' ', ';a=b', '; a="b"', '; a="\\"', 'a', '/', '"', '\\', ';charset=utf-8', '\t', 'a/a,'],
    {
      starts: ['', 'application/json', 'application/json;', 'application/json; a="', 'application/json; a='],
      ends: ['', 'x', '"', ' ;'],
    },
  );
  const text = bodyOf('text/plain');
  const letters = texts(['a', 'é', '\u{1f331}', '\ufeff', '\u0000']);
  const content = { 'application/json': { schema: {} } };
  const innocentForm = (size: number): Exchange => bodyOf(FORM)(repeat('plain=1&', size).slice(0, -1));
  return [
    ...pieceSubjects(),
    ...itemSubjects(),
    of32(
      subject(
        'the whole query',
        { parameters: [{ name: 'q', in: 'querystring', content: { [FORM]: { schema: listing } } }] },
        pairs,
        target('/things?'),
        filled(target('/things?'), 'plain=1&'),
      ),
    ),
    subject('form, open', taking(FORM, { schema: open }), pairs, bodyOf(FORM), innocentForm),
    subject(
      'form, an array and others',
      taking(FORM, { schema: listing }),
      pairs,
      bodyOf(FORM),
      innocentForm,
    ),
    subject(
      'Content-Type',
      taking('application/json', {}),
      types,
      (type) => bodyOf(type)('{}'),
      (size) => bodyOf('application/json')(plainList(size)),
    ),
    subject(
      'text',
      taking('text/plain', { schema: { type: 'string', maxLength: 5 } }),
      letters,
      text,
      filled(text, 'plain'),
    ),
    subject(
      'JSON in a query parameter',
      { parameters: [{ name: 'probe', in: 'query', content }] },
      [...numbers, ...strings, ...names],
      asJson('probe'),
      (size) => asJson('probe')(plainList(size / 2)),
    ),
  ];
}
