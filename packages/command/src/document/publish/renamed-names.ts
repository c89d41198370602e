/** Names of the document that differ from those of the published one, for the targets of the overlay. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isObject, members, OBJECTS } from 'contract-first-server/tools';
import { type JsonObject, readDocument } from 'contract-first-server';
import { PUBLISHED, root } from '../../paths';

/** A path without the names of its parameters. */
const templateOf = (name: string): string => name.replace(/\{[^}]*\}/g, '{}');

/** A name in a target: in quotes, or behind a dot. */
const NAMES = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|\.([A-Za-z_][\w-]*)/g;

export class RenamedNames {
  /** The later names, by the earlier ones; found when they are needed. */
  private later: ReadonlyMap<string, string> | undefined;

  constructor(private readonly document: JsonObject) {}

  /** A target with the later names, if it matches. */
  follow(target: string, matches: (target: string) => boolean): string | undefined {
    const later = (this.later ??= this.find());
    const followed = target.replace(NAMES, (token, single?: string, double?: string, plain?: string) => {
      const name = plain ?? (single ?? double ?? '').replace(/\\(.)/g, '$1');
      const is = later.get(name) ?? (plain === undefined ? this.sameTemplate(name) : undefined);
      if (is === undefined) return token;
      const text = `'${is.replace(/['\\]/g, '\\$&')}'`;
      return plain === undefined ? text : /^[A-Za-z_]\w*$/.test(is) ? `.${is}` : `[${text}]`;
    });
    return followed !== target && matches(followed) ? followed : undefined;
  }

  /** The path that differs in the names of its parameters only. */
  private sameTemplate(name: string): string | undefined {
    const names = members(this.document['paths']).map(([template]) => template);
    if (names.includes(name)) return undefined;
    const [one, ...others] = names.filter((other) => templateOf(other) === templateOf(name));
    return name.startsWith('/') && others.length === 0 ? one : undefined;
  }

  private find(): ReadonlyMap<string, string> {
    const [before, after] = [published(), this.document];
    const later = new Map<string, string>();
    const news = (was: unknown, is: unknown) => members(is).filter(([name]) => !has(was, name));
    for (const [name, item] of members(before['paths'])) {
      const is = has(after['paths'], name)
        ? name
        : (this.sameTemplate(name) ??
          news(before['paths'], after['paths']).find(([, other]) => sharesId(item, other))?.[0]);
      if (is === undefined) continue;
      if (is !== name) later.set(name, is);
      const now = idsOf(Object.fromEntries(members(after['paths']))[is]);
      for (const [method, id] of idsOf(item)) {
        const other = now.get(method);
        if (other !== undefined && other !== id) later.set(id, other);
      }
    }
    const [old, now] = [before['components'], after['components']];
    for (const section of OBJECTS.get('Components')?.keywords.keys() ?? []) {
      const [were, are] = [old, now].map((all) => (isObject(all) ? all[section] : undefined));
      for (const [name, value] of members(were)) {
        if (has(are, name)) continue;
        const [one, ...others] = news(were, are).filter(([, other]) => contains(value, other));
        if (one && others.length === 0) later.set(name, one[0]);
      }
    }
    return later;
  }
}

function published(): JsonObject {
  try {
    return readDocument(readFileSync(path.join(root, PUBLISHED), 'utf8'));
  } catch {
    return {}; // there is none yet
  }
}

const has = (map: unknown, name: string): boolean => isObject(map) && Object.hasOwn(map, name);

/** The operationIds of a path item, by method. */
const idsOf = (item: unknown): Map<string, string> =>
  new Map(
    [...members(item), ...members(isObject(item) ? item['additionalOperations'] : undefined)].flatMap(
      ([method, operation]) => {
        const id = isObject(operation) ? operation['operationId'] : undefined;
        return typeof id === 'string' ? [[method, id] as const] : [];
      },
    ),
  );

function sharesId(one: unknown, other: unknown): boolean {
  const ids = new Set(idsOf(one).values());
  return [...idsOf(other).values()].some((id) => ids.has(id));
}

/** Whether a value has all that another one has: the overlay adds to what it was made of. */
const contains = (whole: unknown, part: unknown): boolean =>
  typeof part === 'object' && part !== null
    ? typeof whole === 'object' &&
      whole !== null &&
      Object.entries(part).every(([key, value]) => contains(Reflect.get(whole, key), value))
    : whole === part;
