import { joinPointer, isObject, type JsonObject } from './json-pointer';
import { type Kind, OBJECTS, type Word } from './words';

/** An object of a document, and which object of OpenAPI it is. */
export interface Walked {
  readonly pointer: string;
  readonly value: JsonObject;
  /** `Reference` where a Reference Object stands in the place of a `stands`. */
  readonly kind: Kind;
  /** The kind that is expected here. */
  readonly stands: Kind;
  /** Whether it is in a part that is published and not served: a webhook, a callback, a link. */
  readonly carried: boolean;
  /** The word in which it stands is not one of a schema. */
  readonly outermost: boolean;
}

/** Where a walk begins. */
export type Start = Pick<Walked, 'pointer' | 'stands' | 'carried'> & { readonly value: unknown };

/** The words of an object, each with the name and the value that it has there; no word where the table has none. */
export function* wordsOf({
  kind,
  value,
}: Pick<Walked, 'kind' | 'value'>): Generator<
  readonly [name: string, value: unknown, word: Word | undefined]
> {
  const { words, others } = OBJECTS.get(kind) ?? {};
  for (const [name, operand] of Object.entries(value)) {
    yield [name, operand, words?.get(name) ?? (others?.names.test(name) === true ? others.word : undefined)];
  }
}

/**
 * Visits each object of a document by the table of words, from `start` down and in the order of the text. What the table
 * calls data (an example, an enum, a default, an extension) has no objects in it, whatever their names are.
 */
export function walk(start: Start, visit: (walked: Walked) => void, outermost = true): void {
  const { pointer, value, stands, carried } = start;
  if (!isObject(value)) return;
  const refers = OBJECTS.get(stands)?.referable === true && typeof value['$ref'] === 'string';
  const walked: Walked = {
    pointer,
    value,
    kind: refers ? 'Reference' : stands,
    stands,
    carried,
    outermost,
  };
  visit(walked);
  for (const [name, operand, word] of wordsOf(walked)) {
    if (!word?.holds || name.startsWith('x-')) continue;
    const { kind, as } = word.holds;
    const here = joinPointer(pointer, name);
    const aside = carried || (word.fate === 'carried' && UNSERVED.includes(kind));
    const inner = stands !== 'Schema';
    const step = (item: unknown, at: string) => {
      walk({ pointer: at, value: item, stands: kind, carried: aside }, visit, inner);
    };
    if (as === 'one') step(operand, here);
    else if (as === 'map' && isObject(operand)) {
      for (const [key, item] of Object.entries(operand)) {
        // OpenAPI 3.1 section 4.9: only the maps that are objects of their own have extensions.
        step(item, joinPointer(here, key));
      }
    } else if (as === 'list' && Array.isArray(operand)) {
      operand.forEach((item: unknown, i) => {
        step(item, joinPointer(here, i));
      });
    }
  }
}

/** Objects that are not served where a carried word holds them. */
const UNSERVED: readonly Kind[] = ['PathItem', 'Callback', 'Link'];
