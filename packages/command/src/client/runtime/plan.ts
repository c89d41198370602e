/** What the client knows of the document at run time. */

/** How a value is written (OpenAPI 3.2 section 4.12.2). */
export interface Style {
  readonly name: string;
  readonly style: string;
  readonly explode: boolean;
  /** Whether the value is JSON text. */
  readonly json?: boolean;
  /** Whether the value is a text in a media type that the client does not know. */
  readonly isText?: boolean;
}

export interface Parameter extends Style {
  /** Whether it is required or has a default, so that to leave it out says something else than an empty list. */
  readonly isTelling?: boolean;
  readonly in: 'path' | 'query' | 'querystring' | 'header' | 'cookie';
  /** The parts of a whole query that is a form. */
  readonly parts?: Media['parts'];
}

/** A part of a form. */
export interface Part extends Partial<Style> {
  /** Its media type, if neither the value nor the kind of the value says it. */
  readonly type?: string;
}

/** A value that is one text, such as a header: its JSON types with `number` for `integer`, and its schema. */
export interface Text {
  readonly types?: readonly string[];
  readonly shape?: number;
}

/** A media type of a body. */
export interface Media extends Text {
  /** The media type or range of the document. */
  readonly key: string;
  readonly kind: 'json' | 'text' | 'form' | 'multipart' | 'lines' | 'records' | 'events' | 'binary';
  /** The parts of a form, by name. */
  readonly parts?: Readonly<Record<string, Part>>;
  /** The parts of a body by position; the last one describes all that follow. */
  readonly positions?: readonly Part[];
}

export interface Header extends Text {
  readonly name: string;
  readonly explode: boolean;
  readonly json?: boolean;
  /** The JSON types of the items of a list. */
  readonly items?: readonly string[];
  /** The JSON types of the properties of an object. */
  readonly members?: Readonly<Record<string, readonly string[]>>;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** Percent-encoded, with `{name}` for each parameter. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly bodies: readonly Media[];
  /** By status, range or `default`. */
  readonly responses: Readonly<
    Record<string, { readonly headers: readonly Header[]; readonly content: readonly Media[] }>
  >;
  /** Alternatives, each with the names of its schemes. */
  readonly security: readonly (readonly string[])[];
}

/** Where the credentials of a scheme are sent. */
export interface Scheme {
  readonly kind: 'basic' | 'bearer' | 'apiKey' | 'connection';
  readonly in?: string;
  readonly name?: string;
}

/** The plans of all operations of a document, as JSON has them. */
export interface Plans {
  readonly operations: readonly Operation[];
  readonly schemes: Readonly<Record<string, Scheme>>;
  readonly shapes: readonly Shape[];
}

/** What of a schema decides where its values have integers of 64 bits. Other schemas are named by their index. */
export interface Shape {
  readonly int64?: true;
  /** The schema of the value that is this text, as JSON. */
  readonly content?: number;
  readonly types?: readonly string[];
  readonly values?: readonly unknown[];
  readonly required?: readonly string[];
  /** Schemas that apply to the same value. */
  readonly all?: readonly number[];
  /** Groups of schemas of which those apply that fit. */
  readonly any?: readonly (readonly number[])[];
  readonly properties?: Readonly<Record<string, number>>;
  /** A pattern is an automaton where a regular expression could take more than linear time. */
  readonly patterns?: readonly (readonly [pattern: string | Automaton, schema: number])[];
  readonly others?: number;
  readonly first?: readonly number[];
  readonly items?: number;
}

/** A pattern as a nondeterministic automaton. */
export interface Automaton {
  /** A node leads to `next` if a character of the set `operand` is read, if the assertion `operand` holds, or to `next` and `operand`. */
  readonly nodes: readonly (readonly [
    operation: 'read' | 'split' | 'assert' | 'match',
    next: number,
    operand: number,
  ])[];
  readonly start: number;
  /** Conditions on a position. Each refers only to those before it. */
  readonly assertions: readonly (
    | { readonly kind: 'start' | 'end'; readonly lines?: number | undefined; readonly negate?: never }
    | { readonly kind: 'word'; readonly word: number; readonly negate: boolean }
    | { readonly kind: 'look'; readonly start: number; readonly backward: boolean; readonly negate: boolean }
  )[];
  /** Code points: the first and the last of each range. */
  readonly sets: readonly (readonly number[])[];
}
