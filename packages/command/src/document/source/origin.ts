/** Places in source files, and what their values are to a bundle. */
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isObject, joinPointer, type Kind, keywordAt, OBJECTS } from 'contract-first-server/tools';
import type { SourceFile } from './source-file';
import { stepsOf } from './values';

export type Mutable = Record<string, unknown>;

/** The section of `components` for each kind of object. */
export const SECTIONS = new Map(
  [...(OBJECTS.get('Components')?.keywords ?? [])].flatMap(([name, { holds }]) =>
    holds ? [[holds.kind, name] as const] : [],
  ),
);

/** A place in a source file. */
export interface Origin {
  readonly file: SourceFile;
  readonly pointer: string;
}

export const keyOf = (kind: Kind, { file, pointer }: Origin): string => `${kind} ${file.path}#${pointer}`;
export const placeOf = ({ file, pointer }: Origin): string => file.locate(pointer);
export const within = ({ file, pointer }: Origin, name: string): Origin => ({
  file,
  pointer: joinPointer(pointer, name),
});

/** Of a component: the last step of its pointer, or the name of its file. */
export const nameOf = ({ file, pointer }: Origin): string =>
  (stepsOf(pointer).at(-1) ?? path.parse(file.path).name).replace(/[^\w.-]/g, '_');

/** The sections of `components`, each with the kind of its members. */
export const sectionsIn = (components: unknown): (readonly [section: Mutable, kind: Kind])[] =>
  [...SECTIONS].flatMap(([kind, name]) => {
    const section = isObject(components) ? components[name] : undefined;
    return isObject(section) && typeof section['$ref'] !== 'string' ? [[section, kind] as const] : [];
  });

/** Whether a value is a reference and nothing else. */
export const isReference = (value: unknown): value is { readonly $ref: string } =>
  isObject(value) && typeof value['$ref'] === 'string' && Object.keys(value).length === 1;

/** Whether two values are the same wherever they stand: they refer to nothing. */
export const isCopy = (one: unknown, other: unknown): boolean =>
  !/"(\$ref|mapping)"/.test(
    JSON.stringify(other, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  ) && isDeepStrictEqual(one, structuredClone(other));

/** How many values it consists of. */
export const sizeOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, member) => sum + sizeOf(member), 1)
    : 1;

/** Whether a value can be of a kind: it has one of its keywords, or none at all. */
export function hasKeywordOf(kind: Kind, value: unknown): boolean {
  if (!isObject(value)) return kind === 'Schema' && typeof value === 'boolean';
  const names = Object.keys(value);
  const isKeyword = (name: string) =>
    name === '$ref' || name.startsWith('x-') || keywordAt(kind, name) !== undefined;
  return names.length === 0 || names.some(isKeyword);
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
