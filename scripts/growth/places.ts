import { openApi, type Exchange, type Subject } from './adversary';
import { numbered, repeat, type Text } from './inputs';

/** Puts a text into a request. */
export type Place = (text: string) => Exchange;

export const field =
  (name: string, before = ''): Place =>
  (text) => ({ headers: [[name, before + text]] });
export const target =
  (before: string): Place =>
  (text) => ({ target: before + text });
export const bodyOf =
  (type: string): Place =>
  (body) => ({ headers: [['Content-Type', type]], body });
/** An innocent request: a text of the size in its place. */
export const filled =
  (place: Place, text: string) =>
  (size: number): Exchange =>
    place(repeat(text, size));

export const done = { 204: { description: 'done' } };

/** One subject of requests to `/things`: what grows is put where `place` says. */
export function subject(
  about: string,
  operation: object,
  inputs: readonly Text[],
  place: Place,
  innocent: (size: number) => Exchange,
  { paths, components }: { readonly paths?: object; readonly components?: object } = {},
): Subject {
  const things = { '/things': { post: { operationId: 'postThing', responses: done, ...operation } } };
  return {
    about,
    direction: 'in',
    document: openApi(paths ?? things, components),
    adversaries: inputs.map(({ name, make }) => ({ name, hostile: (size) => place(make(size)), innocent })),
  };
}

export const SCHEMAS = {
  primitive: { type: 'integer', format: 'int64' },
  array: { type: 'array', items: { type: 'integer' } },
  object: {
    type: 'object',
    properties: { a: { type: 'integer' } },
    additionalProperties: { type: 'integer' },
  },
};

/** Parts that are all different, by their number. */
export const separated =
  (delimiter: string, part: (index: number) => string) =>
  (size: number): string =>
    numbered(part, size).replaceAll(',', delimiter);
