/** The types that tie what the server sends to the document: to `webhooks` of the generated types, which has the callbacks too. */
import type { ContentKeys, NoContent, OperationTypes, ResponseContent } from './handler-types';

/** The only operation of a generated path item. */
type SentOperation<Item> = Extract<Item[keyof Item], OperationTypes>;

/** The header fields that the signature sets. */
type Signed = 'webhook-id' | 'webhook-timestamp' | 'webhook-signature';

type Given<Values> = {
  [Name in keyof Values as Lowercase<Name & string> extends Signed ? never : Name]: Values[Name];
};

/** The parameters of one location: required if one of them is. */
type Located<Location extends string, Values> = [keyof Values] extends [never]
  ? unknown
  : Partial<Values> extends Values
    ? Readonly<Partial<Record<Location, Readonly<Values>>>>
    : Readonly<Record<Location, Readonly<Values>>>;

type Parameters<P> = Located<'query', P extends { query?: infer Q } ? NonNullable<Q> : never> &
  Located<'header', P extends { header?: infer H } ? Given<NonNullable<H>> : never>;

type Body<O extends OperationTypes> = [ContentKeys<NonNullable<O['requestBody']>>] extends [never]
  ? NoContent
  : ResponseContent<NonNullable<O['requestBody']>> | (undefined extends O['requestBody'] ? NoContent : never);

/**
 * A request that the server sends, to one receiver.
 *
 * @typeParam Name that of the webhook, or `operationId.callback`
 */
export type SentRequest<Webhooks, Name extends keyof Webhooks> = Parameters<
  SentOperation<Webhooks[Name]>['parameters']
> &
  Body<SentOperation<Webhooks[Name]>> & {
    /** That of the receiver, absolute. */
    readonly url: string;
    /** The value of `Authorization`, if the receiver asks for one. */
    readonly authorization?: string | undefined;
  };
