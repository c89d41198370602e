import { equalDecimals, isLargeInteger, parseDecimal } from 'contract-first-server/tools';
import { readJson } from './json-text';
import { placeIn, readText, shownName, SourceError } from './read-file';
import { type SourceText, TextError } from './source-text';
import { stepsOf } from './values';
import { readYaml } from './yaml-text';

/** One source file of a document: YAML or JSON. */
export class SourceFile {
  private readonly text: string;
  private readonly read: SourceText;

  /**
   * @param most its greatest size in bytes
   * @throws {SourceError} if the file cannot be read
   */
  constructor(
    readonly path: string,
    most?: number,
  ) {
    this.text = readText(path, most);
    try {
      this.read = /\.json$/i.test(path) ? readJson(this.text) : readYaml(this.text);
    } catch (error) {
      if (!(error instanceof TextError)) throw error;
      throw new SourceError(`${this.place(error.offset)}: ${error.message}`);
    }
  }

  /** Integers beyond 2^53 are bigints. */
  get value(): unknown {
    return this.read.value;
  }

  /** The file name relative to the current folder, or absolute outside of it. */
  get name(): string {
    return shownName(this.path);
  }

  /** Its size in bytes. */
  get size(): number {
    return Buffer.byteLength(this.text);
  }

  /**
   * The place of a pointer as `file:line:column`. If the pointer does not resolve, the place of its longest existing
   * part.
   */
  locate(pointer: string): string {
    return this.place(this.read.placeOf(stepsOf(pointer)));
  }

  /** One line for each number that a double cannot represent exactly. */
  inexactNumbers(): string[] {
    // A double represents up to 15 digits exactly.
    if (!/\d[\d.]{15,}/.test(this.text)) return [];
    return [...this.read.numbers()].flatMap(([literal, offset]) => {
      const value = Number(literal);
      return !Number.isFinite(value) || isLargeInteger(literal) || isExact(literal, value)
        ? []
        : [`${this.place(offset)}: the number ${literal} is read as ${value}`];
    });
  }

  private place(offset: number): string {
    return placeIn(this.path, this.text, offset);
  }
}

/** Whether a literal and the shortest text of its double are the same decimal. */
const isExact = (literal: string, double: number): boolean =>
  equalDecimals(parseDecimal(literal.replace(/^\+/, '')), parseDecimal(String(double)));
