import type { Answer, Problem } from 'contract-first-server';
import { ERRORS, type KindOf } from 'contract-first-server/runtime';
import { PLAIN_ERRORS } from 'contract-first-server/tools';

// The error bodies of documents that only tests use: `{error, message}`. They are independent of the service, so that
// the tests of packages/server/src/contract/ do not change with the document.

export const plainRefusal = (kind: KindOf<never>) => ({
  status: ERRORS[kind].status,
  body: { error: ERRORS[kind].number },
});

export const renderPlain = (problem: Problem<KindOf<never>>): Answer => PLAIN_ERRORS.render(problem);

export const { toProblem } = PLAIN_ERRORS;
