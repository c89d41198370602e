import type { Answer, Problem } from '../../src/contract';
import { ERRORS, type Kind } from '../../src/errors';

// The error bodies of documents that only tests use: `{error, message}`. They are independent of the service, so that
// the tests of src/contract/ do not change with the document.

export const plainRefusal = (kind: Kind) => ({
  status: ERRORS[kind].status,
  body: { error: ERRORS[kind].number },
});

export function renderPlain({ kind, message }: Problem<Kind>): Answer {
  const { status, body } = plainRefusal(kind);
  return { status, body: { ...body, message } };
}
