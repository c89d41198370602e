import type { Answer, Problem } from '../../src/contract';
import { ERRORS, type Kind } from '../../src/errors';

// The errors of documents that only tests have: `{error, message}`, whatever those of this service look like. So the tests
// of src/contract/ stay as they are when the service gets another document.

export const plainRefusal = (kind: Kind) => ({
  status: ERRORS[kind].status,
  body: { error: ERRORS[kind].number },
});

export function renderPlain({ kind, message }: Problem<Kind>): Answer {
  const { status, body } = plainRefusal(kind);
  return { status, body: { ...body, message } };
}
