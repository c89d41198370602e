/**
 * The types that tie handlers to the document: `operations` is what openapi-typescript generates from it, `security`
 * (operationId -> its security requirements; `never` without authentication) is added by scripts/generate.ts.
 */
import type { PrincipalsFor } from './security/principals';

/** Of a generated operation, what the types here look at. */
interface OperationTypes {
  parameters: object;
  requestBody?: unknown;
  responses: object;
}

type Known<T> = { [Key in keyof T as string extends Key ? never : Key]: T[Key] };

type Contents<T> = T extends { content: infer Content } ? Content[keyof Content] : undefined;

type Parameters<P> = {
  readonly [Place in keyof P as [NonNullable<P[Place]>] extends [never] ? never : Place]-?: Readonly<
    NonNullable<P[Place]>
  >;
};

type Body<O extends OperationTypes> = [NonNullable<O['requestBody']>] extends [never]
  ? unknown
  : {
      readonly body:
        Contents<NonNullable<O['requestBody']>> | (undefined extends O['requestBody'] ? undefined : never);
    };

type Principal<Requirement, Principals> = {
  readonly [Scheme in keyof Requirement]: Scheme extends keyof Principals ? Principals[Scheme] : never;
};

type Authenticated<Requirement, Principals> = [Requirement] extends [never]
  ? unknown
  : { readonly principal: Principal<Requirement, Principals> };

/** What a handler is given of every request. */
export interface RequestContext {
  /** What the request is called in logs, and in the `X-Request-Id` of its answer. */
  readonly requestId: string;
  /**
   * Aborted when nobody waits for the answer any more: at the deadline of the request, when its client leaves, and when the
   * server ends its connection at the end of a shutdown. What the handler returns after that is dropped. Pass it on to
   * what takes time.
   */
  readonly signal: AbortSignal;
}

/**
 * What a handler is given: what the document describes, and the context of the request. `path`, `query`, `header`,
 * `cookie` and `body` are there if the operation has them, `principal` (by security scheme) if it demands authentication.
 */
export type HandlerRequest<O extends OperationTypes, Requirement, Principals> = Parameters<O['parameters']> &
  Body<O> &
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
    : { [Type in keyof Content]: ContentOf<Type, Content[Type], keyof Content> }[keyof Content]
  : unknown;

/** The media type is named only where there is a choice. */
type ContentOf<Type, Value, All> = [All] extends [Type]
  ? { readonly body: Value; readonly contentType?: Type }
  : { readonly body: Value; readonly contentType: Type };

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
