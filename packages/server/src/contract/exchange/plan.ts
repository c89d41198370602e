/** What the plans of requests (plan-request.ts) and of responses (plan-response.ts) share. */
import type { Codec } from '../codecs/codec';
import type { MediaTypeObject } from '../http/media-type';
import { envelopeSchema, NO_PARAMETERS } from '../schema/envelope';
import type { SchemaSet } from '../schema/schema-set';

/** Creates the members of an object. */
export type Create = <T extends object>(makers: { readonly [Name in keyof T]: () => T[Name] }) => T;

/** Creates the members at once. */
export const atStart: Create = <T extends object>(makers: { readonly [Name in keyof T]: () => T[Name] }) => {
  const object: Partial<T> = {};
  for (const name of Object.keys(makers) as (keyof T)[]) object[name] = makers[name]();
  return object as T;
};

/** Creates each member at its first use. */
export const atFirstUse: Create = <T extends object>(makers: {
  readonly [Name in keyof T]: () => T[Name];
}) => {
  const object: Partial<T> = {};
  for (const name of Object.keys(makers) as (keyof T)[]) {
    const get = () => {
      const value = makers[name]();
      Object.defineProperty(object, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
  }
  return object as T;
};

/** The schemas of a body: `judged` judges it as a whole, `items` each of its items. */
export function judgesOf(
  coder: ReturnType<Codec['reader']> | ReturnType<Codec['writer']>,
  { isJudged }: Codec,
  { schema }: MediaTypeObject,
  schemas: SchemaSet,
) {
  if (typeof coder === 'function')
    return { judged: isJudged ? schema : undefined, items: undefined, item: undefined };
  const { items } = coder;
  const item = items === undefined ? undefined : envelopeSchema(NO_PARAMETERS, items, schemas, true);
  return { judged: 'judged' in coder ? coder.judged : undefined, items, item };
}
