import type { OpenApiDocument } from '../document/document';
import type { MediaType, MediaTypeObject } from '../http/media-type';
import type { Holder } from '../json/parse';

/** A body as the document describes it. */
export interface DescribedBody extends MediaTypeObject {
  readonly document: OpenApiDocument;
}

/**
 * How bodies of some media types are read and written. There is one file for each codec in this folder, and registry.ts
 * lists them in order.
 */
export interface Codec {
  /** For messages: `the body is not well-formed JSON`. */
  readonly name: string;
  /** The media type that is sent where the document has a range and nobody names a type in it. */
  readonly mediaType: string;
  /** Bodies are text in UTF-8: no other charset can be served. */
  readonly isText: boolean;
  /** Bodies are judged by their schema. */
  readonly isJudged: boolean;
  /**
   * Whether bodies of a media type are of this codec.
   *
   * @param essence `type/subtype`; it may be a range where the document has one
   * @param body undefined for the type that a client names
   */
  carries(essence: string, body?: DescribedBody): boolean;
  /**
   * Compiles the reader of a request body.
   *
   * @throws {Unservable} with the reason, and what to do
   */
  reader(body: DescribedBody): ReadBody;
  /**
   * Compiles the writer of a response body.
   *
   * @throws {Unservable} with the reason, and what to do
   */
  writer(body: DescribedBody): WriteBody;
}

/**
 * Decodes a body to `envelope.body`, where it is judged.
 *
 * @param type the media type that the client names, whose parameters may matter (`boundary`, `header`)
 * @throws {Problem} `malformed`, or `mismatch` if the text is not what the schema describes
 */
export type ReadBody = (bytes: Buffer, envelope: Holder, type: MediaType) => void;

/**
 * Encodes a value. At `envelope.body` it puts the value that a client decodes from the result: that one is judged.
 *
 * @throws {TypeError} with the place of what cannot be encoded
 */
export type WriteBody = (value: unknown, envelope: Holder, shape: BodyShape) => string | Uint8Array;

type Project = (value: unknown, holder: Holder, key: string) => 'native' | 'exact' | undefined;

/** What the schema of a response body leaves out of it and refuses in it. */
export interface BodyShape {
  /** Copies a value without what is not listed; undefined if `convert` must find out what is. */
  readonly project: Project | undefined;
  /** Leaves out what is not listed or is `writeOnly`; returns whether anything was. */
  readonly convert: ((holder: Holder, key: string) => boolean) | undefined;
  /** The place of a `writeOnly` item, which cannot be left out. */
  readonly findMarked: ((holder: Holder, key: string) => string | undefined) | undefined;
}

/** Applies the shape to `envelope.body`; returns whether that has changed it. */
export function cut(envelope: Holder, { convert, findMarked }: BodyShape): boolean {
  const changed = convert?.(envelope, 'body') === true;
  const marked = findMarked?.(envelope, 'body');
  if (marked !== undefined) throw new TypeError(`${marked} is write-only`);
  return changed;
}

/** Whether a schema admits any bytes: it has annotations only, or the type string. */
export function isOpaque({ document, schema }: DescribedBody): boolean {
  if (schema === undefined) return true;
  return document.subschemas
    .certain(schema)
    .every(
      ({ value }) =>
        Object.keys(value).every((keyword) =>
          /^(\$ref|allOf|type|format|description|title|content\w+|examples?|x-.*)$/.test(keyword),
        ) && [undefined, 'string'].includes(value['type'] as string | undefined),
    );
}
