/**
 * The types that tie handlers to the document. openapi-typescript generates `operations` from it. `Security` is an interface,
 * generated too: operationId -> its security requirements; `never` without authentication.
 */
import type { FileHandle } from 'node:fs/promises';
import type { Logger } from './exchange/exchange';
import type { Preconditions } from './http/conditional';
import type { PrincipalsFor, SchemeOf } from './security/principals';

/** The parts of a generated operation that these types read. */
export interface OperationTypes {
  parameters: object;
  requestBody?: unknown;
  responses: object;
}

/** The types of an operation, by its operationId. */
type OperationOf<Id, Operations> = Id extends keyof Operations
  ? Operations[Id] extends OperationTypes
    ? Operations[Id]
    : never
  : never;

type OmitIndexSignature<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };

/** The intersection of the members of a union: a value that fits every media type. */
type Intersection<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void
  ? I
  : never;

/** Whether the keys of a content map leave a choice: several media types, or a range. */
type IsChoice<Key> = [Key] extends [Intersection<Key>]
  ? Key extends `${string}*${string}`
    ? true
    : false
  : true;

/** The name of a media type. In place of a range it is the type that the client names. */
type NameOf<Key> = Key extends `${infer Before}*${infer After}` ? `${Before}${string}${NameOf<After>}` : Key;

type RequestParameters<P> = {
  // Without any parameter that is required, there is an empty object; but the whole query may be absent.
  readonly [Place in keyof P as [NonNullable<P[Place]>] extends [never] ? never : Place]-?: Readonly<
    object extends Pick<P, Place> ? NonNullable<P[Place]> : P[Place]
  >;
};

type Body<O extends OperationTypes> = [NonNullable<O['requestBody']>] extends [never]
  ? unknown
  : NonNullable<O['requestBody']> extends { content: infer Content }
    ? BodyOf<Content, keyof Content> | (undefined extends O['requestBody'] ? Bodiless : never)
    : Bodiless;

/** A body with its media type. */
type BodyOf<Content, Key extends keyof Content> = Key extends unknown
  ? { readonly body: Content[Key]; readonly contentType: NameOf<Key> }
  : never;

interface Bodiless {
  readonly body: undefined;
  readonly contentType: undefined;
}

/** The statuses of success: 2XX, or `default` where none is documented. */
type Successes<Status> = [Extract<StartsWith2<Status>, Status>] extends [never]
  ? Extract<'default', Status>
  : StartsWith2<Status>;
type StartsWith2<Status> = Status extends string | number
  ? `${Status}` extends `2${string}`
    ? Status
    : never
  : never;

export type ContentKeys<R> = R extends { content: infer Content } ? keyof Content : never;

/** The media type of a successful response that the client prefers. */
type Accepts<Responses> =
  ContentKeys<Responses[Extract<Successes<keyof Responses>, keyof Responses>]> extends infer Key
    ? [Key] extends [never]
      ? unknown
      : { readonly accepts: NameOf<Key> }
    : never;

type Principal<Requirement, Principals> = {
  readonly [Scheme in keyof Requirement]: Scheme extends keyof Principals ? Principals[Scheme] : never;
};

type Authenticated<Requirement, Principals> = [Requirement] extends [never]
  ? unknown
  : {
      readonly principal: OneOf<Principal<Requirement, Principals>>;
      readonly scopes: OneOf<ScopesOf<Requirement>>;
    };

/**
 * One of the alternatives, with `undefined` for the schemes of the others. So `principal.Token?.id` compiles where a request
 * needs no credentials, and `if (principal.Token)` tells the alternatives apart.
 */
type OneOf<Alternative, Schemes extends PropertyKey = SchemeOf<Alternative>> = Alternative extends unknown
  ? Alternative & Readonly<Partial<Record<Exclude<Schemes, keyof Alternative>, undefined>>>
  : never;

/** By security scheme: the scopes that the operation demanded, and those that the principal holds. */
type ScopesOf<Requirement> = {
  readonly [Scheme in keyof Requirement]: {
    readonly demanded: Readonly<Requirement[Scheme]>;
    readonly held: readonly string[];
  };
};

/** The context of a request, the same for every operation. */
export interface RequestContext {
  /** Identifies the request in logs and in the `X-Request-Id` header of its response. */
  readonly requestId: string;
  /**
   * Aborted at the deadline of the request, when its client disconnects, and when a shutdown closes its connection. The
   * server then discards the result of the handler. Pass the signal to slow calls.
   */
  readonly signal: AbortSignal;
  /** Adds the id of the request to each line. Created at the first use. */
  readonly log: Logger;
  /**
   * The If-Match, If-None-Match and If-Unmodified-Since of the request. The server answers those of GET and HEAD; another
   * operation asks, before it changes anything, whether they hold for the state that it has read.
   */
  readonly preconditions: Preconditions;
}

/**
 * The argument of a handler: the valid request and its context. `path`, `query`, `header`, `cookie` and `body` exist if the
 * operation has them, `principal` and `scopes` (by security scheme) if it has security requirements. `contentType` is the
 * documented media type of the body. `accepts` is the media type of a successful response that the client prefers. In place
 * of a range, such as `image/*`, both are the type that the client names.
 *
 * @typeParam Id the operationId; first, so that errors of the compiler begin with it
 */
export type HandlerRequest<Id, Operations, Security, Principals> = RequestParameters<
  OperationOf<Id, Operations>['parameters']
> &
  Body<OperationOf<Id, Operations>> &
  Accepts<OperationOf<Id, Operations>['responses']> &
  Authenticated<Id extends keyof Security ? Security[Id] : never, Principals> &
  RequestContext;

type ResponseHeaders<R> = R extends { headers: infer H }
  ? [keyof OmitIndexSignature<H>] extends [never]
    ? { readonly headers?: Readonly<Record<string, never>> }
    : Partial<OmitIndexSignature<H>> extends OmitIndexSignature<H>
      ? { readonly headers?: Readonly<OmitIndexSignature<H>> }
      : { readonly headers: Readonly<OmitIndexSignature<H>> }
  : unknown;

export type ResponseContent<R> = R extends { content: infer Content }
  ? [Content] extends [never]
    ? NoContent
    : IsChoice<keyof Content> extends true
      ? Named<Content> | Unnamed<Content>
      : { readonly body: Sent<Content[keyof Content]>; readonly contentType?: keyof Content }
  : NoContent;

/** A response without a body. */
export interface NoContent {
  readonly body?: undefined;
  readonly contentType?: undefined;
}

/** What a handler may return for a body: bytes in each form that can be sent, a stream of items, or a value. */
type Sent<T> = unknown extends T
  ? T
  : T extends Uint8Array
    ? Uint8Array | Blob | ReadableStream<Uint8Array> | FileHandle
    : T extends AsyncIterable<infer Item>
      ? AsyncIterable<Immutable<Item>> | ReadableStream<Immutable<Item>>
      : Immutable<T>;

/** A value that may be read-only at every level, such as a constant. */
type Immutable<T> = unknown extends T ? T : { readonly [Key in keyof T]: Immutable<T[Key]> };

/** A body with the name of its media type. */
type Named<Content> = {
  [Key in keyof Content]: { readonly body: Sent<Content[Key]>; readonly contentType: NameOf<Key> };
}[keyof Content];

/** A body that fits every documented media type: the client's Accept decides. */
type Unnamed<Content> =
  Intersection<{ [Key in keyof Content]: { value: Sent<Content[Key]> } }[keyof Content]> extends {
    value: infer Value;
  }
    ? { readonly body: Value; readonly contentType?: undefined }
    : never;

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
type FinalClass = 2 | 3 | 4 | 5;
type NumberIn<Text> = Text extends `${infer Value extends number}` ? Value : never;

/** The statuses of a class, such as 200 to 299 (RFC 9110 section 15). */
type StatusesOf<Class> = Class extends FinalClass ? NumberIn<`${Class}${Digit}${Digit}`> : never;

/** The classes of the documented ranges, such as `4XX`. */
type RangesOf<Key> = Key extends `${infer Class extends FinalClass}XX` ? Class : never;

/**
 * The statuses that a key of the responses describes: a range those that have no response of their own, `default` those that
 * have no range either (OpenAPI 3.1 section 4.8.16).
 */
type StatusOf<Key, Keys> = Key extends number
  ? Key
  : Exclude<
      [RangesOf<Key>] extends [never]
        ? StatusesOf<Exclude<FinalClass, RangesOf<Keys>>>
        : StatusesOf<RangesOf<Key>>,
      Keys
    >;

/** One of the documented responses. */
type ResponseOf<Responses, Key extends keyof Responses> = {
  [Status in Key]: {
    readonly status: StatusOf<Status, keyof Responses>;
  } & ResponseHeaders<Responses[Status]> &
    ResponseContent<Responses[Status]>;
}[Key];

/** The result of a handler: a response with one of the documented statuses. */
export type HandlerResponse<
  Id,
  Operations,
  Status extends keyof OperationOf<Id, Operations>['responses'] = keyof OperationOf<
    Id,
    Operations
  >['responses'],
> = ResponseOf<OperationOf<Id, Operations>['responses'], Status>;

/** Handles an operation. An error that it throws becomes a problem by the option `toProblem` of the service. */
export type Handler<Id, Operations, Security, Principals> = (
  request: HandlerRequest<Id, Operations, Security, Principals>,
) => Promise<HandlerResponse<Id, Operations, keyof OperationOf<Id, Operations>['responses']>>;

/**
 * One handler per operation, by operationId. Missing and unknown handlers are compile errors, and so are security schemes
 * that `Principals` lacks.
 */
export type Handlers<Operations, Security, Principals extends PrincipalsFor<Security>> = {
  readonly [Id in keyof Security & keyof Operations]: Handler<Id, Operations, Security, Principals>;
};

/**
 * The table of the objects in the body of an operation, by operationId: in that of the request, or, of an operation without one, in
 * those of its successes. An envelope around the object is an object here, too: `{ addBike: { bike: bikes } }`.
 *
 *     export const stored = { addBike: bikes, getBike: bikes } satisfies StoredBodies<operations>;
 */
export type StoredBodies<Operations> = {
  // What every object inherits is never absent.
  readonly [Id in Exclude<keyof Operations, keyof typeof Object.prototype>]?: PlacesFor<
    StoredBody<Operations[Id]>
  >;
};

type PlacesFor<T> = {
  readonly [Name in NamesOf<T>]: { readonly kind: 'column' } | PlacesFor<ValueOf<T, Name>>;
};
/** The properties of all members of a union. */
type NamesOf<T> = T extends object ? keyof T : never;
type ValueOf<T, Name> = T extends object ? (Name extends keyof T ? T[Name] : never) : never;

type StoredBody<Operation> = Operation extends { requestBody?: infer Request; responses: infer Responses }
  ? [NonNullable<Request>] extends [never]
    ? ContentOf<Responses[Extract<Successes<keyof Responses>, keyof Responses>]>
    : ContentOf<NonNullable<Request>>
  : never;
type ContentOf<T> = T extends { content: infer Content } ? Content[keyof Content] : never;
