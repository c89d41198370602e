/**
 * The changes between two versions of a published contract, and whether each one breaks a client.
 *
 * No npm library does this for OpenAPI 3.1: openapi-diff supports 3.0 and follows references only in part;
 * @useoptic/openapi-utilities compares, but the rules that judge the changes are discontinued; api-smart-diff classifies
 * keywords without regard to whether a schema is read in a request or in a response, which decides the result; oasdiff
 * is a Go program. This module uses the document reader of packages/server/src/contract.
 */
import { type JsonObject } from 'contract-first-server';
import { OpenApiDocument } from 'contract-first-server/tools';
import { compareComponents, compareRoot } from './document-changes';
import { OperationComparison } from './operation-changes';

export interface Change {
  /** JSON pointer into the later document; for a removed part, into the earlier one. */
  readonly pointer: string;
  readonly message: string;
  readonly breaking: boolean;
}

/**
 * Every change that a client can notice, breaking ones first.
 *
 * @param today milliseconds since 1970: an operation may go from its `x-sunset` on
 */
export function compareDocuments(was: JsonObject, is: JsonObject, today = Date.now()): Change[] {
  const [before, after] = [new OpenApiDocument(was), new OpenApiDocument(is)];
  const changes = new Map<string, Change>();
  const report = (pointer: string, message: string, breaking: boolean) => {
    const key = `${pointer} ${message}`;
    // One change of type can admit both less and more. The entry is breaking if either is.
    changes.set(key, { pointer, message, breaking: breaking || changes.get(key)?.breaking === true });
  };
  const operations = new OperationComparison(before, after, report, today);
  operations.compareAll('/paths', 'request');
  operations.compareAll('/webhooks', 'response');
  compareComponents(before, after, report);
  const places = [...changes.values()].map(({ pointer }) => pointer);
  compareRoot(before, after, report, (keyword) => places.some((place) => place === `/${keyword}`));
  return [...changes.values()].sort((a, b) => Number(b.breaking) - Number(a.breaking));
}

/** The place and the message of a change. */
export const changeText = ({ pointer, message }: Change): string => `#${pointer}: ${message}`;

/** A change as one line of text. */
export const changeLine = (change: Change): string =>
  `${change.breaking ? 'breaking' : '        '}  ${changeText(change)}`;
