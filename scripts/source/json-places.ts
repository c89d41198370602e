interface Member {
  /** The offset of its name; of an item, that of its value. */
  readonly place: number;
  /** The offset of its value. */
  readonly value: number;
}

/** Finds the offsets of values in a JSON text, without reading what is not on the way to them. */
export class JsonPlaces {
  /** The members of each object or array on the way, by its offset. */
  private readonly known = new Map<number, ReadonlyMap<string, Member>>();

  /** @param text valid JSON */
  constructor(private readonly text: string) {}

  /** The offset of the value that these steps lead to, or of their longest part that leads to one. */
  at(steps: readonly string[]): number {
    let value = this.skipSpace(0);
    let found = 0;
    for (const step of steps) {
      const member = this.membersAt(value).get(step);
      if (!member) break;
      [found, value] = [member.place, member.value];
    }
    return found;
  }

  private membersAt(offset: number): ReadonlyMap<string, Member> {
    const known = this.known.get(offset) ?? this.readMembers(offset);
    this.known.set(offset, known);
    return known;
  }

  private readMembers(offset: number): ReadonlyMap<string, Member> {
    const { text } = this;
    const members = new Map<string, Member>();
    const isObject = text[offset] === '{';
    if (!isObject && text[offset] !== '[') return members;
    let at = this.skipSpace(offset + 1);
    while (at < text.length && text[at] !== '}' && text[at] !== ']') {
      const place = at;
      let name = String(members.size);
      if (isObject) {
        const end = this.endOfText(at);
        name = JSON.parse(text.slice(at, end)) as string;
        at = this.skipSpace(this.skipSpace(end) + 1);
      }
      if (!members.has(name)) members.set(name, { place, value: at });
      at = this.skipSpace(this.endOfValue(at));
      if (text[at] === ',') at = this.skipSpace(at + 1);
    }
    return members;
  }

  private skipSpace(offset: number): number {
    let at = offset;
    while (at < this.text.length && ' \t\r\n'.includes(this.text[at] ?? '')) at++;
    return at;
  }

  /** The offset after the text that begins at a quote. */
  private endOfText(offset: number): number {
    let at = offset + 1;
    while (at < this.text.length && this.text[at] !== '"') at += this.text[at] === '\\' ? 2 : 1;
    return at + 1;
  }

  /** The offset after the value at an offset. */
  private endOfValue(offset: number): number {
    const { text } = this;
    let depth = 0;
    let at = offset;
    while (at < text.length) {
      const character = text[at];
      if (character === '"') at = this.endOfText(at) - 1;
      else if (character === '{' || character === '[') depth++;
      else if (character === '}' || character === ']') {
        if (depth === 0) return at; // a number or a keyword ends before it
        depth--;
      } else if (depth > 0 || character !== ',') {
        at++;
        continue;
      } else return at;
      at++;
      if (depth === 0) return at;
    }
    return at;
  }
}
