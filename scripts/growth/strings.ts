import { ofSchema, type Subject } from './adversary';
import { repeat, texts, type Text } from './inputs';

/** By format, something that fits: its pieces are what its adversaries are made of. */
const FORMATS: Readonly<Record<string, string>> = {
  date: '2024-02-29',
  'date-time': '2024-02-29T23:59:59.123Z',
  time: '23:59:59.5+01:00',
  duration: 'P1Y2M3DT4H5M6S',
  email: 'ada.lovelace+plants@mail.example.org',
  'idn-email': 'ada@example.org',
  hostname: 'a-b.example.org',
  'idn-hostname': 'example.org',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::192.0.2.1',
  uri: 'https://u:p@example.org:80/a%20b/c?d=e&f=g#h',
  'uri-reference': '../a/b?c#d',
  iri: 'https://example.org/a',
  'iri-reference': '/a',
  'uri-template': 'https://example.org/{a}{?b,c*}{/d:3}',
  uuid: '8e0b5a2c-6f2b-4a53-9b1e-0d6f5a7c3e21',
  'json-pointer': '/a~1b/c~0d/0',
  'relative-json-pointer': '1/a/b#',
  regex: '^(a|b)*[c-e]{1,3}$',
  byte: 'YWJjZA==',
  password: 'secret',
};

/** The pieces of a text, and the text after each of its prefixes: repeated there, a reader meets them where it expects them. */
function ofFormat(fits: string): Text[] {
  const pieces = [...new Set([...fits.split(/(?<=\W)|(?=\W)/), ...(fits.match(/\W/g) ?? []), 'a', '1', ' '])];
  const cuts = [0, Math.floor(fits.length / 3), Math.floor((2 * fits.length) / 3), fits.length];
  return texts(pieces, { starts: cuts.map((cut) => fits.slice(0, cut)), ends: ['', '!'] });
}

const quoted = (values: readonly Text[]): Text[] =>
  values.map(({ name, make }) => ({ name, make: (size) => JSON.stringify(make(size)) }));

/** Patterns of documents, put together from the parts of which slow ones are made. */
const ATOMS = ['a', '\\w', '\\s', '[a-z0-9]', '.', '(?:a|a)', '(?:a|b|ab)', '\\d'];
const PATTERNS = [
  ...ATOMS.flatMap((atom) => [`^(${atom}+)+$`, `${atom}+$`, `${atom}*${atom}*${atom}*!`, `^(${atom}*)*$`]),
  '^([a-zA-Z0-9_.-]+)*@example\\.org$',
  '^[a-zA-Z0-9.!#$%&*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9-]+)*$',
  '^(([^<>()[\\]\\\\.,;:\\s@"]+(\\.[^<>()[\\]\\\\.,;:\\s@"]+)*)|(".+"))@example$',
  '^([\\w-]+(?:\\.[\\w-]+)*)@((?:[\\w-]+\\.)*\\w[\\w-]{0,66})\\.([a-z]{2,6})$',
  '^(.*,){10}P',
  '^\\s+|\\s+$',
  '(?=.*a)(?=.*b)(?=.*c).{8,}!',
];
const LETTERS = texts(['a', ' ', '1', 'ab', 'a.', 'a-', ','], { starts: ['', 'x@'], ends: ['', '!', ' !'] });

export const stringSubjects = (): Subject[] => [
  ...Object.entries(FORMATS).flatMap(([format, fits]) =>
    ofSchema(`format ${format}`, { type: 'string', format }, quoted(ofFormat(fits))),
  ),
  ...ofSchema('minLength, maxLength', { type: 'string', minLength: 2_000_000, maxLength: 3_000_000 }, [
    { name: 'letters', make: (size) => JSON.stringify(repeat('a', size)) },
    { name: 'astral', make: (size) => JSON.stringify(repeat('\u{1f331}', size)) },
  ]),
  ...PATTERNS.flatMap((pattern) =>
    ofSchema(`pattern ${pattern}`, { type: 'string', pattern }, quoted(LETTERS)),
  ),
];
