import { joinPointer, type OpenApiDocument } from '../document/document';
import { certain } from '../document/subschemas';
import { stringifyJson } from '../json/stringify';

/** A default of the document, which must conform to its schema. */
export interface Default {
  /** The component that judges it. */
  readonly identifier: string;
  readonly text: string;
  /** JSON pointer to the schema with the default, if it is a part of the schema that judges. */
  readonly from?: string;
}

/** Collects the defaults of schemas. */
export class Defaults {
  /** By the JSON pointer of the schema for which the default is filled in. */
  readonly byPointer = new Map<string, Default>();
  private readonly sources = new Map<string, string | undefined>();

  /** @param identify makes a component of the schema at a pointer */
  constructor(
    private readonly document: OpenApiDocument,
    private readonly identify: (pointer: string) => string,
  ) {}

  /**
   * Adds the default of the schema at `pointer`, as JSON. The default of a part of a schema must conform to all of it: it
   * is filled in for the whole.
   */
  add(pointer: string): string | undefined {
    const from = this.sourceOf(pointer);
    if (from === undefined) return undefined;
    const text = this.textAt(joinPointer(from, 'default'));
    if (text === undefined) return undefined;
    if (this.byPointer.has(pointer)) return text;
    const added = { text, ...(from !== pointer && { from }) };
    this.byPointer.set(pointer, { ...added, identifier: '' }); // ends the cycle: its component has the same default
    this.byPointer.set(pointer, { ...added, identifier: this.identify(pointer) });
    return text;
  }

  /** The JSON text of a default; undefined for a value that JSON cannot carry, which becomes a finding. */
  private textAt(pointer: string): string | undefined {
    try {
      return stringifyJson(this.document.at(pointer), 'default');
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      this.document.addFinding(pointer, `cannot be filled in: ${error.message}`);
      return undefined;
    }
  }

  /** The first schema with a default, of those that the schema at `pointer` always consists of. */
  private sourceOf(pointer: string): string | undefined {
    return this.document.subschemas.fold(pointer, certain, this.sources, (place, parts) => {
      if ('default' in place.value) return place.pointer;
      return parts.map((part) => this.sources.get(part.pointer)).find((source) => source !== undefined);
    });
  }
}
