/** What a request cannot carry. Nothing was sent. */
export class UnwritableRequest extends TypeError {
  override name = 'UnwritableRequest';
}

/** There was no answer, or it ended early: the network, or the timeout. The request may have been carried out. */
export class NoAnswer extends Error {
  override name = 'NoAnswer';
}

/** An answer that is not well-formed, such as JSON that ends early. */
export class MalformedAnswer extends Error {
  override name = 'MalformedAnswer';
}

/** Bytes that can be sent. */
export type Bytes = Uint8Array<ArrayBuffer> | ArrayBuffer | Blob | ReadableStream<Uint8Array>;

/** A secret, or what finds it before each call. An empty one, or none, is as if it were not given. */
export type Secret<T = string> = T | (() => T | undefined | Promise<T | undefined>);

/** The settings of a call. Those of the client are its defaults. */
export interface CallOptions {
  /** Further header fields, such as `If-None-Match` and `Range`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds until the whole answer, or the head of a stream, is there. By default 60,000; `Infinity` for none. */
  readonly timeout?: number;
  /**
   * How often a request is sent again, 0 to 10, if the network fails or the status is 429, 502, 503 or 504. By default 0. Only
   * an operation with the header Idempotency-Key, or a method that may be repeated, is. `timeout` includes all attempts.
   */
  readonly retries?: number;
}

export interface ClientOptions<Credentials> extends CallOptions {
  /** Scheme and host, and the prefix of a proxy. The path of the document's `servers` follows. */
  readonly baseUrl: string;
  /** By the name of the security scheme. Each call uses the first alternative of its operation that it has. */
  readonly credentials?: Credentials;
  /** Sends a request: by default the `fetch` of the platform. It follows no redirect. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

interface CallSettings extends CallOptions {
  readonly signal?: AbortSignal;
  /** The media types that are accepted: by default those of the document. */
  readonly accept?: string;
  /** Header fields of the parts of a form, by the name of the part. */
  readonly partHeaders?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface OperationTypes {
  readonly parameters: object;
  readonly requestBody?: unknown;
  readonly responses: object;
}

/** The names that OpenAPI reserves: no parameter describes them (OpenAPI 3.1 section 4.8.12.1). */
type Fields<P> = {
  readonly [
    Name in keyof P as Name extends string
      ? Lowercase<Name> extends 'accept' | 'authorization' | 'content-type'
        ? never
        : Name
      : Name
  ]: P[Name];
};

type MayLack<P> = { readonly [Name in keyof P]: undefined extends P[Name] ? P[Name] | undefined : P[Name] };
type Place<P, Name> = Name extends 'header' ? Fields<P> : P;
type Need<P, Name extends keyof P> = [NonNullable<P[Name]>] extends [never]
  ? 'none'
  : object extends Place<NonNullable<P[Name]>, Name>
    ? 'optional'
    : undefined extends P[Name]
      ? 'optional'
      : 'required';
type Places<P> = {
  readonly [Name in keyof P as Need<P, Name> extends 'required' ? Name : never]: MayLack<
    Place<P[Name], Name>
  >;
} & {
  readonly [Name in keyof P as Need<P, Name> extends 'optional' ? Name : never]?:
    MayLack<Place<NonNullable<P[Name]>, Name>> | undefined;
};

/** The name of a media type. In place of a range it is the type of the message. */
type NameOf<Key> = Key extends `${infer Before}*${infer After}` ? `${Before}${string}${NameOf<After>}` : Key;

/** Whether the keys of a content map leave a choice: several media types, or a range. */
type IsChoice<Key, All = Key> = Key extends unknown
  ? [All] extends [Key]
    ? Key extends `${string}*${string}`
      ? true
      : false
    : true
  : never;

/** A value that may be read-only at every level. */
type Immutable<T> = unknown extends T
  ? T
  : T extends Blob | Uint8Array | ArrayBuffer | ReadableStream
    ? T
    : T extends AsyncIterable<infer Item>
      ? AsyncIterable<Immutable<Item>> | Iterable<Immutable<Item>>
      : { readonly [Key in keyof T]: Immutable<T[Key]> };

type BodyOf<Content, Key extends keyof Content = keyof Content> = Key extends unknown
  ? true extends IsChoice<keyof Content>
    ? { readonly body: Immutable<Content[Key]>; readonly contentType: NameOf<Key> }
    : { readonly body: Immutable<Content[Key]>; readonly contentType?: NameOf<Key> }
  : never;

type Body<B> = [NonNullable<B>] extends [never]
  ? unknown
  : NonNullable<B> extends { content: infer Content }
    ? | BodyOf<Content>
      | (undefined extends B ? { readonly body?: undefined; readonly contentType?: undefined } : never)
    : unknown;

/** What a call takes: the parameters by their place, the body, and settings. */
export type CallRequest<O extends OperationTypes> = Places<O['parameters']> &
  Body<O['requestBody']> &
  CallSettings;

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
type Class = 2 | 3 | 4 | 5;
type NumberIn<T> = T extends `${infer Value extends number}` ? Value : never;
type StatusesOf<C> = C extends Class ? NumberIn<`${C}${Digit}${Digit}`> : never;
type RangesOf<Key> = Key extends `${infer C extends Class}XX` ? C : never;

/** The statuses that a key of the responses describes (OpenAPI 3.1 section 4.8.16). */
type StatusOf<Key, Keys> = Key extends number
  ? Key
  : Exclude<
      [RangesOf<Key>] extends [never]
        ? StatusesOf<Exclude<Class, RangesOf<Keys>>>
        : StatusesOf<RangesOf<Key>>,
      Keys
    >;

type HeadersOf<R> = R extends { headers: infer H }
  ? { readonly [Name in keyof H as string extends Name ? never : Name]: H[Name] }
  : object;

interface NoContent {
  readonly body: undefined;
  readonly contentType: undefined;
}
type ContentOf<R> = R extends { content: infer Content }
  ? [Content] extends [never]
    ? NoContent
    : {
        [Key in keyof Content]: { readonly body: Content[Key]; readonly contentType: NameOf<Key> };
      }[keyof Content]
  : NoContent;

/**
 * An answer: `status` tells which of the documented ones it is. What the document does not describe, another status or another
 * media type, is `undocumented`, with the unread response.
 */
export type CallAnswer<O extends OperationTypes, Method = ''> =
  | {
      [Key in keyof O['responses']]: {
        readonly status: StatusOf<Key, keyof O['responses']>;
        readonly headers: HeadersOf<O['responses'][Key]>;
        readonly response: Response;
      } & (Method extends 'HEAD' ? NoContent : ContentOf<O['responses'][Key]>);
    }[keyof O['responses']]
  | { readonly status: 'undocumented'; readonly response: Response };

/**
 * Calls an operation.
 *
 * @throws {UnwritableRequest | NoAnswer | MalformedAnswer} or the reason of an aborted signal
 */
export type Call<O extends OperationTypes, Method = ''> = (
  ...request: object extends CallRequest<O> ? [request?: CallRequest<O>] : [request: CallRequest<O>]
) => Promise<CallAnswer<O, Method>>;
