import { Problem, RequestProblem } from '../../src/contract/problem';

test('a problem of a request has no stack, and leaves other errors theirs', () => {
  const problem = new RequestProblem('notFound', 'there is no such path');
  expect(problem).toBeInstanceOf(Problem);
  expect(problem.stack).toBe('Problem: there is no such path');
  expect(new Problem('unexpected', 'of a handler').stack).toMatch(/problem\.test/);
  expect(() => {
    Reflect.construct(RequestProblem, ['notFound']); // without a message
  }).toThrow(TypeError);
  expect(new Error('another').stack).toMatch(/problem\.test/);
});
