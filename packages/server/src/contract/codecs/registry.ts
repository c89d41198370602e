import { joinPointer, type OpenApiDocument } from '../document/document';
import { closest, type MediaType, type MediaTypeObject } from '../http/media-type';
import { type Read, Unservable } from '../parameters/parts';
import { binary } from './binary';
import type { Codec, DescribedBody } from './codec';
import { events } from './events';
import { form } from './form';
import { json } from './json';
import { lines } from './lines';
import { multipart } from './multipart';
import { adapt, describeOwn, type Own, type OwnCodec, textReader } from './own';
import { adaptStream, type OwnStreamCodec } from './own-stream';
import { text } from './text';

/** The first codec that carries a media type is used. `binary` carries all media types. */
const BUILT_IN: readonly Codec[] = [events, lines, json, form, multipart, text, binary];

/** A documented media type with its codec. */
type Coded = Pick<MediaTypeObject, 'type'> & { readonly codec: Codec };

/** The codecs of a service. */
export class Codecs {
  private readonly all: readonly Codec[];
  private readonly texts: readonly Own<true, string>[];

  /**
   * @param own the codecs of the service, which come before the built-in ones
   * @throws {TypeError} if one of them does not name its media types
   */
  constructor(own: readonly (OwnCodec | OwnStreamCodec)[] = []) {
    this.all = [...own.map((one) => ('isStream' in one ? adaptStream(one) : adapt(one))), ...BUILT_IN];
    this.texts = own.filter((one): one is Own<true, string> => !('isStream' in one) && one.isText);
  }

  /** Compiles the reader of a parameter, if a codec of the service for texts carries its media type. */
  text(media: DescribedBody): Read<string> | undefined {
    const own = this.texts.find((one) => describeOwn(one).carries(media.type.essence));
    return own && textReader(own, media);
  }

  /** The codec of a documented body. */
  of(body: DescribedBody): Codec {
    return this.find(body.type.essence, body);
  }

  /** The documented media types of one content map, each with its codec. */
  coded(document: OpenApiDocument, content: readonly MediaTypeObject[]) {
    return content.map((media) => ({ ...media, codec: this.of({ ...media, document }) }));
  }

  /** Compiles the reader of a body; undefined if it cannot be read, which becomes a finding. */
  reader(body: DescribedBody): ReturnType<Codec['reader']> | undefined {
    this.checkStream(body);
    return servable(this.of(body), body, (codec) => codec.reader(body));
  }

  /** Compiles the writer of a body; undefined if it cannot be written, which becomes a finding. */
  writer(body: DescribedBody): ReturnType<Codec['writer']> | undefined {
    this.checkStream(body);
    return servable(this.of(body), body, (codec) => codec.writer(body));
  }

  /**
   * Finds the documented media type by which a body is read: the closest that covers the type that the client names, and
   * has the same codec or no schema that judges it. If the essence is documented once and the client leaves out its
   * parameters, that media type comes before a range.
   */
  cover<T extends Coded>(content: readonly T[], type: MediaType): T | undefined {
    const codec = this.find(type.essence);
    const readable = content.filter(
      (media) => !media.codec.isJudged || media.codec === codec || media.type.essence === type.essence,
    );
    const found = closest(readable, type);
    if (found?.type.essence === type.essence) return found;
    const [lacking, another] = readable.filter((media) => lacks(type, media.type));
    return lacking && !another ? lacking : found;
  }

  /** Adds a finding for `x-stream` where a body is not bytes. */
  private checkStream(body: DescribedBody): void {
    if (!body.isStream || this.of(body) === binary) return;
    const message = `a body of ${body.key} is not a stream of bytes: leave this out, or use application/octet-stream`;
    body.document.addFinding(joinPointer(body.pointer, 'x-stream'), message);
  }

  private find(essence: string, body?: DescribedBody): Codec {
    return this.all.find((codec) => codec.carries(essence, body)) ?? binary;
  }
}

function servable<T>(codec: Codec, body: DescribedBody, compile: (codec: Codec) => T): T | undefined {
  const { type, key, document, items } = body;
  // Each item of a multipart body is a part.
  if (items !== undefined && !codec.isItems && !type.essence.startsWith('multipart/'))
    document.addFinding(
      items,
      `a body of ${key} is not a sequence of items: use text/event-stream, application/jsonl or application/json-seq`,
    );
  try {
    const compiled = compile(codec);
    const charset = codec.isText ? body.type.parameters.get('charset') : undefined;
    if (charset === undefined) return compiled;
    throw new Unservable(`the charset ${charset} cannot be served: only utf-8 can`);
  } catch (error) {
    if (!(error instanceof Unservable)) throw error;
    body.document.addFinding(body.schema ?? body.pointer, error.message);
    return undefined;
  }
}

/** Whether a type equals another except for parameters that it leaves out. */
function lacks(type: MediaType, { essence, parameters }: MediaType): boolean {
  if (type.essence !== essence) return false;
  return [...parameters].every(([name, value]) => (type.parameters.get(name) ?? value) === value);
}
