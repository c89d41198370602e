import { createOracle } from '../../src/schema/oracle';
import { parse } from '../../src/json/value';
import type { Profile } from '../../src/profile';
import { slots } from '../../src/request/slots';
import { fault } from '../../src/cases/keyword-cases';
import { inJson, read } from '../support/document';
import { correctServer, numbers, target } from '../support/simple-server';
import { run } from '../../src/run';

/** The fault of a value in the only slot of an operation. */
function faultOf(given: object, text: string, profile: Profile = 'strict') {
  const { document, operation } = read(given);
  const [slot] = slots(document, operation);
  if (!slot) throw new Error('expected an operation with a slot');
  const lenientOracle = createOracle(document.lenient.requests);
  return fault(
    { lenientOracle, operation, target: { ...target(correctServer), profile } },
    slot,
    parse(text),
  );
}

test.each([
  ['7.5', 'invalid request'],
  ['9007199254740992.5', 'excess precision'],
  ['1.00000000000000000001', 'excess precision'],
  ['9223372036854775808', 'invalid format'],
  ['-1', 'invalid request'],
])('the integer %s breaks the rule: %s', (literal, rule) => {
  const content = inJson({ type: 'integer', format: 'int64', minimum: 0 });
  const put = { requestBody: { content }, responses: {} };
  expect(faultOf({ put }, literal)).toEqual({ rule, location: 'body' });
});

test.each([
  ['document', '""', 'empty parameter'],
  ['document', '["a",""]', 'empty parameter'],
  ['document', '["a"]', 'invalid request'],
  ['strict', '""', 'invalid request'],
] as const)('by the profile %s, the query parameter %s breaks the rule: %s', (profile, text, rule) => {
  const schema = { type: ['string', 'array'], minLength: 2, items: { type: 'string', minLength: 2 } };
  const get = { parameters: [{ name: 'q', in: 'query', schema }], responses: {} };
  expect(faultOf({ get }, text, profile)).toEqual({ rule, location: 'query' });
});

test.each([
  { type: 'string', format: 'int64' },
  { type: ['null', 'string'], format: 'int32' },
])('the prover does not contradict itself about %j', async (schema) => {
  const { failures } = await run(
    numbers(
      (operation) => {
        operation['requestBody'] = { required: true, content: inJson(schema) };
      },
      (request, body) => (/^"\w*"$/.test(body) ? { status: 204 } : correctServer(request, body)),
    ),
  );
  const problems = failures.flatMap((failure) => failure.problems);
  expect(problems.filter((problem) => problem.includes('expected the oracle to agree'))).toEqual([]);
});
