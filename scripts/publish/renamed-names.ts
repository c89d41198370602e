/** Names of the document that differ from those of the published one, for the targets of the overlay. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  isObject,
  type JsonObject,
  lastStep,
  members,
  OBJECTS,
  OpenApiDocument,
  type Operation,
  readDocument,
  readOperations,
} from '../../src/contract';
import { earlierIds } from '../breaking/renames';
import { PUBLISHED, root } from '../paths';

/** A name in a target: in quotes, or behind a dot. */
const NAMES = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|\.([A-Za-z_][\w-]*)/g;

export class RenamedNames {
  /** The later names, by the earlier ones; found when they are needed. */
  private later: ReadonlyMap<string, string> | undefined;

  constructor(private readonly document: JsonObject) {}

  /** A target with the later names, if it matches. */
  follow(target: string, matches: (target: string) => boolean): string | undefined {
    const later = (this.later ??= laterNames(published(), this.document));
    const followed = target.replace(NAMES, (token, single?: string, double?: string, plain?: string) => {
      const is = later.get(plain ?? (single ?? double ?? '').replace(/\\(.)/g, '$1'));
      if (is === undefined) return token;
      const text = `'${is.replace(/['\\]/g, '\\$&')}'`;
      return plain === undefined ? text : /^[A-Za-z_]\w*$/.test(is) ? `.${is}` : `[${text}]`;
    });
    return followed !== target && matches(followed) ? followed : undefined;
  }
}

/** Of operations and their paths, and of components that have kept their content. */
function laterNames(before: JsonObject, after: JsonObject): ReadonlyMap<string, string> {
  const later = new Map<string, string>();
  const [old, now] = [operationsOf(before), operationsOf(after)];
  for (const [id, was] of earlierIds(before, after)) {
    later.set(was, id);
    later.set(pathOf(old.get(was)), pathOf(now.get(id)));
  }
  for (const section of OBJECTS.get('Components')?.keywords.keys() ?? []) {
    const [were, are] = [before, after].map(({ components: all }) =>
      isObject(all) ? new Map(members(all[section])) : undefined,
    );
    for (const [name, value] of were ?? []) {
      if (are?.has(name) !== false) continue;
      const [one, ...others] = [...are].filter(([is, other]) => !were?.has(is) && contains(value, other));
      if (one && others.length === 0) later.set(name, one[0]);
    }
  }
  return later;
}

const operationsOf = (document: JsonObject): Map<string, Operation> =>
  new Map(readOperations(new OpenApiDocument(document)).map((one) => [one.operationId, one]));

const pathOf = ({ pointer = '' }: Partial<Operation> = {}): string =>
  lastStep(pointer.slice(0, pointer.lastIndexOf('/')));

function published(): JsonObject {
  try {
    return readDocument(readFileSync(path.join(root, PUBLISHED), 'utf8'));
  } catch {
    return {}; // there is none yet
  }
}

/** Whether a value has all that another one has: the overlay adds to what it was made of. */
const contains = (whole: unknown, part: unknown): boolean =>
  typeof part === 'object' && part !== null
    ? typeof whole === 'object' &&
      whole !== null &&
      Object.entries(part).every(([key, value]) => contains(Reflect.get(whole, key), value))
    : whole === part;
