import type { OpenApiDocument } from '../document/document';
import type { ServedOperation } from '../exchange/served-operation';
import { NotImplemented } from '../exchange/stub';
import type { Answer } from '../problem';
import { successOf } from './answers';

/** The header of a response that no handler made. Its value is the operationId. */
export const STUB_HEADER = 'X-Stub';

/**
 * Returns the answer of a stub; undefined if the error is not the one of a stub, or if no conforming answer is found.
 *
 * @param wanted the media type that the client prefers
 */
export type AnswerStub = (error: unknown, served: ServedOperation, wanted?: string) => Answer | undefined;

/** Creates the answers of stubs, each at its first use. */
export function createStubAnswers(document: OpenApiDocument): AnswerStub {
  const answers = new Map<string, Answer | undefined>();
  return (error, served, wanted) => {
    if (!(error instanceof NotImplemented)) return undefined;
    const key = `${served.operation.operationId} ${wanted}`;
    if (!answers.has(key)) {
      answers.set(key, successOf(document, served, wanted));
    }
    return answers.get(key);
  };
}
