import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../src/json/tree';
import type { Target } from '../../src/target';
import { type Answer, type Reply, routed, serve, targetOf } from './simple-server';

/** What a server does with its bodies: tests replace parts to break it. */
export interface Reading {
  /** The boundary of a media type; undefined if it has none. */
  readonly boundary: (contentType: string) => string | undefined;
  /** The parts of a body; undefined if it is malformed. */
  readonly split: (body: string, boundary: string) => RawPart[] | undefined;
  readonly read: (part: RawPart) => Part | undefined;
  /** Whether the parts are valid. */
  readonly accepts: (parts: readonly Part[]) => boolean;
  /** The texts of a sequence. */
  readonly lines: (body: string) => string[];
  readonly isItem: (text: string) => 'malformed' | 'invalid' | 'valid';
  readonly largest: number;
}

/** The head and the content of a part, in Latin-1. */
export interface RawPart {
  readonly head: string;
  readonly content: string;
}

interface Part {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string;
}

/** The largest body of `PUT /stream`, and of all others, in bytes. */
const LARGEST = 1000;
const LIMIT = 65_536;

const TYPES = ['image/png', 'image/gif'];

/** A server that follows RFC 2046 and RFC 7578. */
export const SOUND: Reading = {
  boundary(contentType) {
    const [, quoted, token] = /; *boundary=(?:"([^"]*)"|([^;\s]+))$/i.exec(contentType) ?? [];
    return quoted ?? token;
  },
  split(body, boundary) {
    const [, ...pieces] = `\r\n${body}`.split(`\r\n--${boundary}`);
    const end = pieces.findIndex((piece) => piece.startsWith('--'));
    if (end < 0) return undefined;
    return pieces.slice(0, end).map((piece) => {
      const at = piece.indexOf('\r\n\r\n');
      const head = piece.slice(piece.indexOf('\r\n') + 2, at);
      return { head, content: piece.slice(at + 4) };
    });
  },
  read({ head, content }) {
    const lines = head.split('\r\n').map((line): [string, string] => {
      const at = line.indexOf(':');
      return [at < 0 ? '' : line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    });
    const headers = Object.fromEntries(lines);
    const [, name] = /^form-data; name="([^"]*)"/.exec(headers['content-disposition'] ?? '') ?? [];
    return name === undefined || '' in headers ? undefined : { name, headers, content };
  },
  accepts(parts) {
    const named = (name: string): Part[] => parts.filter((part) => part.name === name);
    const text = (name: string): string => Buffer.from(named(name)[0]?.content ?? '', 'latin1').toString();
    const [photo] = named('photo');
    const tags = named('tags').map(({ content }) => Buffer.from(content, 'latin1').toString());
    return (
      named('title').length === 1 &&
      named('stars').length <= 1 &&
      named('photo').length <= 1 &&
      Array.from(text('title')).length <= 300 &&
      (named('stars').length === 0 || isStars(text('stars'))) &&
      tags.length <= 3 &&
      tags.every((tag) => Array.from(tag).length <= 9) &&
      (!photo ||
        (TYPES.includes(photo.headers['content-type'] ?? '') && photo.headers['x-license'] !== undefined)) &&
      (named('place').length === 0 || isPlace(text('place')))
    );
  },
  lines: (body) => body.split('\n').filter((line) => line.trim() !== ''),
  isItem(text) {
    try {
      const item: unknown = JSON.parse(text);
      return typeof item === 'number' && Number.isInteger(item) && item >= 1 ? 'valid' : 'invalid';
    } catch {
      return 'malformed';
    }
  },
  largest: LARGEST,
};

const isStars = (text: string): boolean => {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text)) return false;
  return Number.isInteger(Number(text)) && Number(text) >= 0 && Number(text) <= 5;
};

function isPlace(text: string): boolean {
  try {
    const place: unknown = JSON.parse(text);
    if (typeof place !== 'object' || place === null || Array.isArray(place)) return false;
    const name: unknown = Reflect.get(place, 'name');
    return typeof name === 'string';
  } catch {
    return false;
  }
}

const done = { 204: { description: 'done' }, '4XX': { description: 'refused' } };
const takes = (content: JsonObject, more: JsonObject = {}): JsonObject => ({
  requestBody: { required: true, content },
  responses: done,
  ...more,
});
const license = { required: true, schema: { type: 'string', enum: ['CC0'] } };

const PATHS: JsonObject = {
  '/upload': {
    post: takes({
      'multipart/form-data': {
        schema: {
          type: 'object',
          required: ['title'],
          properties: {
            title: { type: 'string', maxLength: 300 },
            stars: { type: 'integer', minimum: 0, maximum: 5 },
            tags: { type: 'array', maxItems: 3, items: { type: 'string', maxLength: 9 } },
            place: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
            photo: { type: 'string', format: 'binary' },
          },
        },
        encoding: { photo: { contentType: TYPES.join(', '), headers: { 'X-License': license } } },
      },
    }),
  },
  '/lines': {
    post: takes({ 'application/jsonl': { 'x-item-schema': { type: 'integer', minimum: 1 } } }),
  },
  '/stream': {
    put: takes({ 'application/octet-stream': { 'x-stream': true } }, { 'x-body-limit': LARGEST }),
  },
  '/count': { put: takes({ 'text/plain': { schema: { type: 'integer', minimum: 0, maximum: 5 } } }) },
};

/** Whether the media type of a request is one of these. */
const isOf = (request: IncomingMessage, type: string): boolean =>
  new RegExp(`^${type} *(?:;.*)?$`, 'i').test(request.headers['content-type'] ?? '') &&
  !/utf-16|latin1/.test(request.headers['content-type'] ?? '') &&
  request.headers['content-encoding'] === undefined;

/** A target whose server reads uploads, sequences, streams and texts, with parts of its reading replaced. */
export function uploads(changed: Partial<Reading> = {}): Target {
  const reading = { ...SOUND, ...changed };
  const largest = ({ url }: IncomingMessage): number => (url === '/stream' ? reading.largest : LIMIT);
  const take = (request: IncomingMessage, body: string, type: string, read: () => number): Reply => {
    if (!isOf(request, type)) return { status: 415 };
    const size = Math.max(body.length, Number(request.headers['content-length'] ?? 0));
    return { status: size > largest(request) ? 413 : read() };
  };
  const upload = (body: string, contentType: string): number => {
    const boundary = reading.boundary(contentType);
    const raw = boundary === undefined ? undefined : reading.split(body, boundary);
    const parts = raw?.map(reading.read);
    return parts?.every((part) => part !== undefined) && reading.accepts(parts) ? 204 : 400;
  };
  const answer: Answer = routed({
    'POST /upload': (_, body, request) =>
      take(request, body, 'multipart/form-data', () => upload(body, request.headers['content-type'] ?? '')),
    'POST /lines': (_, body, request) =>
      take(request, body, 'application/jsonl', () =>
        reading.lines(body).every((line) => reading.isItem(line) === 'valid') ? 204 : 400,
      ),
    'PUT /stream': (_, body, request) =>
      take(request, body, 'application/octet-stream', () => (body === '' ? 400 : 204)),
    'PUT /count': (_, body, request) => take(request, body, 'text/plain', () => (isStars(body) ? 204 : 400)),
  });
  return targetOf(PATHS, answer, {
    bodyLimit: LIMIT,
    start: serve(answer, () => undefined, largest),
  });
}
