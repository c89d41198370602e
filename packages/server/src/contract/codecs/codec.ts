import type { OpenApiDocument } from '../document/document';
import type { IncomingBody } from '../http/body';
import type { MediaType, MediaTypeObject } from '../http/media-type';
import type { OutgoingBody, StreamEnds } from '../http/send';
import type { copyPlain, Holder } from '../json/values';
import type { Parameter } from '../operations/operations';

/** A body as the document describes it. */
export interface DescribedBody extends MediaTypeObject {
  readonly document: OpenApiDocument;
}

/**
 * Reads and writes the bodies of some media types, as bytes that are known at once or piece by piece. Each codec has a file
 * in this folder. registry.ts lists them in order.
 */
export interface Codec {
  /** For messages: `the body is not well-formed JSON`. */
  readonly name: string;
  /** The media type of a response whose document has a range, if neither the client nor the handler names a type. */
  readonly mediaType: string;
  /** Whether bodies are text. UTF-8 is the only charset that can be served. */
  readonly isText: boolean;
  /** Whether the validator judges bodies by their schema. */
  readonly isJudged: boolean;
  /** Whether bodies are sequences of items, which `x-item-schema` describes. */
  readonly isItems?: true;
  /** Whether its writer takes files, and streams of bytes. */
  readonly writesFiles?: true;
  /**
   * Whether this codec reads and writes the bodies of a media type.
   *
   * @param essence `type/subtype`, or a range of the document
   * @param body undefined for the type that a client names
   */
  carries(essence: string, body?: DescribedBody): boolean;
  /**
   * Compiles the reader of a request body.
   *
   * @throws {Unservable} with the reason and advice
   */
  reader(body: DescribedBody): ReadBody | ReadPieces;
  /**
   * Compiles the writer of a response body.
   *
   * @throws {Unservable} with the reason and advice
   */
  writer(body: DescribedBody): WriteBody | WritePieces;
}

/**
 * Decodes a body to `envelope.body`, for the validator.
 *
 * @param type the media type that the client names, with its parameters (`boundary`, `header`)
 * @throws {Problem} `malformed`
 * @throws {MalformedParameter} if a property of a form is not in its style
 */
export type ReadBody = (bytes: Buffer, envelope: Holder, type: MediaType) => void;

/**
 * Encodes a value. Sets `envelope.body` to the value that a client decodes from the result, for the validator.
 *
 * @throws {TypeError} with the place of a value that cannot be encoded
 */
export type WriteBody = (
  value: unknown,
  envelope: Holder,
  shape: BodyShape,
) => string | Uint8Array | OutgoingBody;

/**
 * Judges and converts the item at `envelope.body`.
 *
 * @param index from 0, for messages
 * @throws {Problem} `invalidRequest` for an item of a request
 * @throws {UndocumentedResponse} for an item of a response
 */
export type JudgeItem = (envelope: Holder, index: number) => void;

/** Reads a body piece by piece, before its handler or while it runs. */
export interface ReadPieces {
  /** The pointer of the schema that judges `envelope.body` as a whole, after `read`; undefined if none does. */
  readonly judged: string | undefined;
  /** The pointer of the schema by which `each` judges; undefined if it judges nothing. */
  readonly items: string | undefined;
  /** The documented header fields of parts, by the name of the part. They judge the lists of `envelope.part`, by the same name. */
  readonly parts?: ReadonlyMap<string, readonly Parameter[]>;
  /**
   * Sets `envelope.body`: to a value once it is complete, or at once to a stream.
   *
   * @param body `body.whenOver` releases what the value holds
   * @throws {Problem} `malformed`, or what the body throws
   * @throws {MalformedParameter} if a property is not in its style
   */
  readonly read: (
    body: IncomingBody,
    envelope: Holder,
    type: MediaType,
    each: JudgeItem,
  ) => void | Promise<void>;
}

/** Writes a stream piece by piece. Its items are judged before their bytes leave. */
export interface WritePieces extends StreamEnds {
  /** The pointer of the schema by which `each` judges; undefined if it judges nothing. */
  readonly items: string | undefined;
  readonly write: (items: AsyncIterable<unknown>, each: JudgeItem) => AsyncIterable<string | Uint8Array>;
  /** Writes one item as `write` does; undefined if its pieces are not those of its items. */
  readonly writeItem?: WriteItem;
  /** Writes a body that is a text, known at once; undefined if none is. */
  readonly writeText?: WriteBody | undefined;
  /** The pointer of the schema that judges such a text. */
  readonly judged?: string | undefined;
}

/**
 * Judges an item, and returns its piece.
 *
 * @throws {UndocumentedResponse} or {TypeError} for an item that the document, or the format, does not allow
 */
export type WriteItem = (item: unknown, each: JudgeItem, index: number) => string;

/** The parts that the schema of a response body removes or rejects. */
export interface BodyShape {
  /** Copies a value without unlisted properties; undefined if they depend on the value: then `convert` removes them. */
  readonly project: typeof copyPlain | undefined;
  /** Removes properties that are not listed or are `writeOnly`. Returns whether there were any. */
  readonly convert: ((holder: Holder, key: string) => boolean) | undefined;
  /** Finds a `writeOnly` item, which cannot be removed. Returns its place. */
  readonly findMarked: ((holder: Holder, key: string) => string | undefined) | undefined;
}

/** Applies the shape to `envelope.body`. Returns whether that changed it. */
export function applyShape(envelope: Holder, { convert, findMarked }: BodyShape): boolean {
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
