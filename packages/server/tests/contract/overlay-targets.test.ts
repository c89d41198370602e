import { query } from 'jsonpathly';
import { OpenApiDocument } from 'contract-first-server/tools';
import { targetsWithout } from '../../src/contract/operations/overlay';
import { readOperations } from '../../src/contract/operations/operations';
import { buildDocument } from '../../../../scripts/testing/service';

const content = { 'application/json': { schema: { type: 'object' } } };
const inline = { description: 'The thing.', content };
const there = { $ref: '#/components/responses/Thing' };
const nothing = { description: 'Done.' };

/** A document whose operations have these responses, by their statuses. */
const documentOf = (operations: Readonly<Record<string, object>>) => ({
  ...buildDocument({ components: { responses: { Thing: inline } } }),
  paths: Object.fromEntries(
    Object.entries(operations).map(([operationId, responses]) => [
      `/${operationId}`,
      { get: { operationId, responses } },
    ]),
  ),
});

// The server sends 406 only where each success has content. A team adds operations after the overlay was written.
it.each([
  ['written in place', inline],
  ['by reference', there],
])(
  'the target for 406 of successes %s leaves out an operation without content that is added later',
  (_, success) => {
    const written = { read: { 200: success }, add: { 201: success } };
    const document = new OpenApiDocument(documentOf(written));
    const targets = targetsWithout(document, readOperations(document), 406);
    const later = documentOf({ ...written, remove: { 204: nothing }, list: { 200: success } });
    const matched = targets.flatMap(
      (target) => query(later, target, { returnArray: true }) as { operationId: string }[],
    );
    expect(matched.map(({ operationId }) => operationId)).toEqual(['read', 'add', 'list']);
  },
);
