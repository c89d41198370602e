import { readDocument } from '../../../scripts/prove/document/reader';
import { parse } from '../../../scripts/prove/json/value';
import { createOracle } from '../../../scripts/prove/schema/oracle';
import { bodyFindings } from '../../../scripts/prove/check/documented';

test.each([
  ['{"link":"none","count":"many"}', 'response body', '#/count '],
  ['{"link":"none","count":1}', 'response annotations', '#/link '],
])('the finding about %s breaks the rule: %s', (body, rule, place) => {
  const Thing = { properties: { link: { type: 'string', format: 'uri' }, count: { type: 'integer' } } };
  const document = readDocument({
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: {},
    components: { schemas: { Thing } },
  });
  const oracles = {
    strict: createOracle(document.responses),
    lenient: document.lenient.responses.map((schemas) => createOracle(schemas)),
  };
  const outcome = { status: 200, headers: [], body: Buffer.from(body) };
  const findings = bodyFindings(document, oracles, '/components/schemas/Thing', parse(body), outcome);
  expect(findings).toEqual([{ rule, message: expect.stringContaining(`: ${place}`) as string }]);
});
