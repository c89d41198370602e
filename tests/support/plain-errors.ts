import type { Answer, Problem, ProblemKind } from '../../src/contract';
import { ERROR_NUMBERS } from '../../src/errors';

// The errors of documents that only tests have: `{error, message}`, whatever those of this service look like. So the tests
// of src/contract/ stay as they are when the service gets another document.

export const plainRefusal = (kind: ProblemKind) => ({
  status: Math.floor(ERROR_NUMBERS[kind] / 100),
  body: { error: ERROR_NUMBERS[kind] },
});

export function renderPlain({ kind, message }: Problem): Answer {
  const { status, body } = plainRefusal(kind);
  return { status, body: { ...body, message } };
}
