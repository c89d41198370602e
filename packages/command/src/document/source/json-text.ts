/** Reads JSON sources, and finds the places of their values. */
import { type Holder, MalformedJson, numberLiterals, parseJson } from 'contract-first-server/tools';
import { readDocument } from 'contract-first-server';
import { BOUNDS } from './bounds';
import { type SourceText, TextError } from './source-text';

/** @throws {TextError} */
export function readJson(text: string): SourceText {
  const holder: Holder = {};
  try {
    // Unlike `JSON.parse` it refuses a name that stands twice, and says where a fault is.
    parseJson(text, holder, 'document', BOUNDS.depth);
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    const [whole, offset] = / at position (\d+)$/.exec(error.message) ?? ['', '0'];
    const sentence = error.message.slice(0, error.message.length - whole.length);
    throw new TextError(`expected an OpenAPI document in JSON: ${sentence}`, Number(offset));
  }
  const places = new JsonPlaces(text);
  return {
    value: /\d{16}/.test(text) ? readDocument(text) : holder['document'],
    placeOf: (steps) => places.of(steps),
    numbers: () => numberLiterals(text),
  };
}

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

interface Member {
  /** The offset of its name; of an item, that of its value. */
  readonly place: number;
  /** The offset of its value. */
  readonly value: number;
}

/** The offsets of values in a valid JSON text. It reads only the objects and lists on the way to them. */
export class JsonPlaces {
  /** The members of each object or list on the way, by its offset. */
  private readonly known = new Map<number, ReadonlyMap<string, Member>>();

  constructor(private readonly text: string) {}

  /** The offset of the value that these steps lead to, or of their longest part that leads to one. */
  of(steps: readonly string[]): number {
    let [value, found] = [this.text.search(/\S/), 0];
    for (const step of steps) {
      const members = this.known.get(value) ?? this.membersAt(value);
      this.known.set(value, members);
      const member = members.get(step);
      if (!member) break;
      [found, value] = [member.place, member.value];
    }
    return found;
  }

  private membersAt(offset: number): ReadonlyMap<string, Member> {
    const members = new Map<string, Member>();
    const isObject = this.text[offset] === '{';
    const tokens = new RegExp(TOKEN);
    tokens.lastIndex = offset;
    let depth = 0;
    let name: RegExpExecArray | undefined;
    for (let token = tokens.exec(this.text); token; token = tokens.exec(this.text)) {
      const [text] = token;
      const closes = text === '}' || text === ']';
      if (depth === 1 && text === ',') name = undefined;
      else if (depth === 1 && isObject && !name && !closes) name = token;
      else if (depth === 1 && !closes && text !== ':')
        members.set(name ? (JSON.parse(name[0]) as string) : String(members.size), {
          place: (name ?? token).index,
          value: token.index,
        });
      if (text === '{' || text === '[') depth++;
      else if (closes) depth--;
      if (depth === 0) break;
    }
    return members;
  }
}
