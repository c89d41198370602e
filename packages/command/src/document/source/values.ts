/** JSON values of documents, which may contain bigints. */
import { type JsonObject } from 'contract-first-server';
import { lastStep } from 'contract-first-server/tools';

/** The steps of a JSON pointer (RFC 6901). */
export const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => lastStep(`/${step}`));

/** The value at a JSON pointer; undefined if there is none. */
export const valueAt = (value: unknown, pointer: string): unknown =>
  stepsOf(pointer).reduce<unknown>(
    (holder, step) =>
      typeof holder === 'object' && holder !== null && Object.hasOwn(holder, step)
        ? (holder as JsonObject)[step]
        : undefined,
    value,
  );
