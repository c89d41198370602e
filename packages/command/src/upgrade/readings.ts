/** What 3.0.0 reads in a document otherwise than 2.0.0 did. docs/changes-3.0.0.md has the same list, and a test compares both. */
import { existsSync, readFileSync } from 'node:fs';
import { isObject, members } from 'contract-first-server/tools';
import { PUBLISHED } from '../paths';

/** A reading that has changed. */
interface Reading {
  readonly note: string;
  /** Whether it concerns a document with this object in it. `name` is that of the object in what holds it. */
  readonly concerns: (object: Readonly<Record<string, unknown>>, name: string) => boolean;
}

const FORM = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i;
const STREAM = /^(text\/event-stream|application\/(jsonl|x-ndjson|json-seq))\b/i;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isScheme = (object: Readonly<Record<string, unknown>>, scheme: string): boolean =>
  object['type'] === 'http' && String(object['scheme']).toLowerCase() === scheme;

export const READINGS: readonly Reading[] = [
  {
    note: '`nullable: true` allows null, even beside a `$ref`; it was ignored, and null was rejected',
    concerns: ({ nullable }) => nullable === true,
  },
  {
    note: 'a discriminator without a mapping uses the values that its branches list; if a mapping has a name that its schema does not allow, the service does not start',
    concerns: ({ discriminator }) => isObject(discriminator),
  },
  {
    note: 'forms accept names in brackets, such as `address[city]` and `tags[0]`, for objects and lists without an `encoding`; they were dropped',
    concerns: (object, name) => FORM.test(name) && 'schema' in object && !('encoding' in object),
  },
  {
    note: 'the style `deepObject` reads nested objects and lists; if its schema allows both an object and a list, the service does not start',
    concerns: ({ style }) => style === 'deepObject',
  },
  {
    note: 'a pattern that is valid only without the `u` flag, such as `\\-`, is accepted, and published in the syntax that the flag requires',
    concerns: ({ pattern }) =>
      typeof pattern === 'string' && isPattern(pattern, '') && !isPattern(pattern, 'u'),
  },
  {
    note: 'the messages of 406 and 415 name what was received and what is accepted: update clients that match the old sentences',
    concerns: ({ content }) => members(content).length > 0,
  },
  {
    note: 'a user may have an empty password only with `basicUsers({ secrets, emptyPasswords: true })`',
    concerns: (object) => isScheme(object, 'basic'),
  },
  {
    note: 'the default challenge of a bearer scheme is `Bearer realm="api"`',
    concerns: (object) => isScheme(object, 'bearer'),
  },
  {
    note: 'in production it is enough to configure all schemes of one alternative of `security`; an alternative that cannot be served is left out with a remark',
    concerns: ({ security }) => listOf(security).length > 1,
  },
  {
    note: 'credentials that are sent and rejected are 401, even where `security` has `{}`',
    concerns: ({ security }) => listOf(security).some((one) => isObject(one) && members(one).length === 0),
  },
  {
    note: 'a stream that breaks off delivers what was written before, and ends without its last chunk; the connection was reset at once',
    concerns: (object, name) => STREAM.test(name) && ('schema' in object || 'x-item-schema' in object),
  },
  {
    note: '`readOnly` and `writeOnly` on a whole body apply only in documents of 3.1 and 3.2; in 3.0 they prevented the start',
    concerns: ({ schema }) =>
      isObject(schema) && (schema['readOnly'] === true || schema['writeOnly'] === true),
  },
  {
    note: 'if no request can conform to an operation, or none of its successes can be sent, the service does not start, and the message has the proof',
    concerns: (object, name) =>
      (name === 'properties' && Object.values(object).includes(false)) ||
      BOUNDS.some(([least, most]) => Number(object[least]) > Number(object[most])),
  },
];

const BOUNDS = ['imum', 'Length', 'Items', 'Properties'].map((end) => [`min${end}`, `max${end}`] as const);

function isPattern(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}

/** The notes about the readings that concern a document. */
export function changedReadings(document: unknown): string[] {
  const found = new Set<Reading>();
  const pending: [name: string, value: unknown][] = [['', document]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [name, value] = next;
    if (typeof value !== 'object' || value === null) continue;
    if (isObject(value))
      for (const reading of READINGS) if (reading.concerns(value, name)) found.add(reading);
    pending.push(...Object.entries(value));
  }
  return READINGS.filter((reading) => found.has(reading)).map(({ note }) => note);
}

/** Those of the service in the current folder, whose packages had a version before 3.0.0. */
export function readingsSince(before: string): string[] {
  if (!/^[012]\./.test(before) || !existsSync(PUBLISHED)) return [];
  return changedReadings(JSON.parse(readFileSync(PUBLISHED, 'utf8')));
}
