/** The header Idempotency-Key of requests (draft-ietf-httpapi-idempotency-key-header-07). */
import { randomUUID } from 'node:crypto';
import type { Document, Operation, Parameter } from '../document/model';
import type { Oracle } from '../schema/oracle';
import { type RawRequest, withHeader } from '../wire/message';
import { fitsSlot, slots } from './slots';

interface Common {
  readonly document: Document;
  readonly oracle: Oracle;
}

const documents = ({ responses }: Operation, status: string): boolean =>
  responses.some((response) => response.status === status);

/** The header, if the document says what a server answers that implements it. */
export const keyOf = (operation: Operation): Parameter | undefined =>
  documents(operation, '409') && documents(operation, '422')
    ? operation.parameters.find((one) => one.in === 'header' && one.name.toLowerCase() === 'idempotency-key')
    : undefined;

/** A request with a key that no other has; undefined if the document admits none that is known. */
export function withKey(
  { document, oracle }: Common,
  operation: Operation,
  request: RawRequest,
): RawRequest | undefined {
  const slot = slots(document, operation).find(({ parameter }) => parameter === keyOf(operation));
  const uuid = randomUUID();
  const key = slot && [uuid, `"${uuid}"`].find((one) => fitsSlot(oracle, slot, one));
  return key === undefined ? undefined : withHeader(request, slot?.parameter?.name ?? '', key);
}

/** A request, whose key is another one than that of earlier requests if it has one. */
export function withFreshKey(common: Common, operation: Operation, request: RawRequest): RawRequest {
  const name = keyOf(operation)?.name.toLowerCase();
  const isSent = name !== undefined && request.headers.some(([field]) => field.toLowerCase() === name);
  return (isSent ? withKey(common, operation, request) : undefined) ?? request;
}
