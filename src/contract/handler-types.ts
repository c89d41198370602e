/**
 * The types that tie handlers to the document: `operations` is what openapi-typescript generates from it, `security`
 * (operationId -> its security requirements; `never` without authentication) is added by scripts/generate/main.ts.
 */
import type { Logger } from './exchange/logger';
import type { PrincipalsFor } from './security/principals';

/** Of a generated operation, what the types here look at. */
interface OperationTypes {
  parameters: object;
  requestBody?: unknown;
  responses: object;
}

type Known<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };

/** All of what the members of a union can do: of several media types, a value that fits each. */
type Intersection<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void
  ? I
  : never;

/** Whether the keys of a content map leave a choice: there are several, or one is a range. */
type IsChoice<Key> = [Key] extends [Intersection<Key>]
  ? Key extends `${string}*${string}`
    ? true
    : false
  : true;

/** How a media type is called: a client names one in a range. */
type NameOf<Key> = Key extends `${infer Before}*${infer After}` ? `${Before}${string}${NameOf<After>}` : Key;

type Parameters<P> = {
  readonly [Place in keyof P as [NonNullable<P[Place]>] extends [never] ? never : Place]-?: Readonly<
    NonNullable<P[Place]>
  >;
};

type Body<O extends OperationTypes> = [NonNullable<O['requestBody']>] extends [never]
  ? unknown
  : NonNullable<O['requestBody']> extends { content: infer Content }
    ? BodyOf<Content, keyof Content> | (undefined extends O['requestBody'] ? Bodiless : never)
    : Bodiless;

/** With its media type. */
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

type ContentKeys<R> = R extends { content: infer Content } ? keyof Content : never;

/** The media type of a successful response that the client likes best. */
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
      readonly principal: Principal<Requirement, Principals>;
      readonly scopes: ScopesOf<Requirement>;
    };

/** By security scheme: the scopes that the operation demanded, and those that the principal holds. */
type ScopesOf<Requirement> = {
  readonly [Scheme in keyof Requirement]: {
    readonly demanded: Readonly<Requirement[Scheme]>;
    readonly held: readonly string[];
  };
};

/** What a handler gets of every request. */
export interface RequestContext {
  /** What the request is called in logs, and in the `X-Request-Id` of its answer. */
  readonly requestId: string;
  /**
   * Aborted when nobody waits for the answer any more: at the deadline of the request, when its client leaves, and when the
   * server ends its connection at the end of a shutdown. What the handler returns after that is dropped. Pass it on to
   * what takes time.
   */
  readonly signal: AbortSignal;
  /** Made when it is first read. Its lines have the id of the request. */
  readonly log: Logger;
}

/**
 * What a handler is given: what the document describes, and the context of the request. `path`, `query`, `header`,
 * `cookie` and `body` are there if the operation has them, `principal` and `scopes` (by security scheme) if it demands
 * authentication. `contentType` is the documented media type of the body, and `accepts` the one of a successful response
 * that the client likes best; of a range, such as `image/*`, the type that the client names.
 */
export type HandlerRequest<O extends OperationTypes, Requirement, Principals> = Parameters<O['parameters']> &
  Body<O> &
  Accepts<O['responses']> &
  Authenticated<Requirement, Principals> &
  RequestContext;

type ResponseHeaders<R> = R extends { headers: infer H }
  ? [keyof Known<H>] extends [never]
    ? { readonly headers?: Readonly<Record<string, never>> }
    : Partial<Known<H>> extends Known<H>
      ? { readonly headers?: Readonly<Known<H>> }
      : { readonly headers: Readonly<Known<H>> }
  : unknown;

type ResponseContent<R> = R extends { content: infer Content }
  ? [Content] extends [never]
    ? unknown
    : IsChoice<keyof Content> extends true
      ? Named<Content> | Unnamed<Content>
      : { readonly body: Content[keyof Content]; readonly contentType?: keyof Content }
  : unknown;

/** A body of the media type that it names. */
type Named<Content> = {
  [Key in keyof Content]: { readonly body: Content[Key]; readonly contentType: NameOf<Key> };
}[keyof Content];

/** A body that fits every documented media type: the client's Accept decides. */
type Unnamed<Content> =
  Intersection<{ [Key in keyof Content]: { value: Content[Key] } }[keyof Content]> extends {
    value: infer Value;
  }
    ? { readonly body: Value; readonly contentType?: undefined }
    : never;

/** What a handler may return: one of the documented responses. A range or `default` stands for any status. */
export type HandlerResponse<O extends OperationTypes> = {
  [Status in keyof O['responses']]: {
    readonly status: Status extends number ? Status : number;
  } & ResponseHeaders<O['responses'][Status]> &
    ResponseContent<O['responses'][Status]>;
}[keyof O['responses']];

export type Handler<O extends OperationTypes, Requirement, Principals> = (
  request: HandlerRequest<O, Requirement, Principals>,
) => Promise<HandlerResponse<O>>;

/**
 * One handler per operation, by operationId: a missing and an unknown one are compile errors. So is a security scheme
 * that `Principals` lacks.
 */
export type Handlers<Operations, Security, Principals extends PrincipalsFor<Security>> = {
  readonly [Id in keyof Security & keyof Operations]: Operations[Id] extends OperationTypes
    ? Handler<Operations[Id], Security[Id], Principals>
    : never;
};
