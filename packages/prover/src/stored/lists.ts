import { authorizedRequest, inputCase, type OperationContext } from '../cases/case';
import { isSuccess } from '../wire/message';
import { codecOf } from '../document/media';
import type { Document, Operation } from '../document/model';
import { NumberLiteral, print } from '../json/value';
import { type Inputs, fitsSlot, slots } from '../request/slots';
import { admittedTypes, anyValueOf, branchCombinations, propertyLocations } from '../schema/locations';
import type { CaseRunner } from '../case-runner';
import { type FreshLeaf, freshLeaves, withFreshLeaves } from '../state/fresh';
import { referenced, shapeOf } from '../state/sources';
import type { Server } from '../target';

/** A list with more items is not filled: each item is a request, and must be removed again. */
const MAX_ITEMS = 200;

/** Bodies that are tried until one creates an item: a value may have to name something. */
const MAX_TRIES = 8;

/**
 * Fills each list whose response has `maxItems` with one item more, by the POST of its path, and asks for it: the bound
 * of the answer is not that of the store, and perhaps not that of a parameter such as `limit`.
 */
export async function attemptLists(
  contexts: readonly OperationContext[],
  server: Server,
  runner: CaseRunner,
): Promise<void> {
  for (const list of contexts.filter(({ operation }) => operation.method === 'GET')) {
    const bound = boundOf(list.document, list.operation);
    const creator = contexts.find(
      ({ operation: { method, path } }) =>
        method === 'POST' && shapeOf(path) === shapeOf(list.operation.path),
    );
    const isStub = [list, ...(creator ? [creator] : [])].some(({ operation }) => runner.isStub(operation));
    if (!creator || bound === undefined || bound > MAX_ITEMS || isStub) continue;
    await runner.reset(server);
    if (!(await fill(creator, bound + 1, server, runner))) continue;
    for (const [title, inputs] of asks(list, bound)) {
      const sent = inputCase(list, 'valid', `a list of ${bound + 1} items, ${title}`, inputs, {
        expect: { kind: 'handled' },
        rule: 'no server error',
      });
      const attempted = await runner.attempt(server, sent);
      // The items are part of the case: a smaller one has none.
      if (attempted.problems.length > 0)
        runner.failures.push(runner.describe(attempted.actual ?? sent, attempted.problems));
    }
  }
}

/** The smallest `maxItems` of a list in the answer: of the body itself, or of one of its properties. */
function boundOf({ responses }: Document, operation: Operation): number | undefined {
  const schemas = operation.responses
    .filter(({ status }) => status === '200' || status === '2XX')
    .flatMap(({ content }) => content.filter(({ name }) => codecOf(name) === 'json'))
    .flatMap(({ schema }) => schema ?? []);
  const bounds = schemas.flatMap((schema) =>
    branchCombinations(responses, anyValueOf(schema)).flatMap((body) => {
      const names = body.flatMap(({ schema: { properties } }) => Object.keys(properties ?? {}));
      const members = names.flatMap((name) =>
        branchCombinations(responses, propertyLocations(body, name)).flat(),
      );
      return [...body, ...members].map(({ schema: { maxItems } }) => maxItems);
    }),
  );
  const numbers = bounds.filter((bound) => typeof bound === 'number');
  return numbers.length > 0 ? Math.min(...numbers) : undefined;
}

/** Creates items. False if the service does not create as many. */
async function fill(
  creator: OperationContext,
  count: number,
  server: Server,
  runner: CaseRunner,
): Promise<boolean> {
  const leaves = freshLeaves(creator, creator.base);
  const own = leaves.filter(({ pointer }) => referenced(pointer.split('/').at(-1) ?? '') === undefined);
  const tries = [own, ...own.map((leaf) => [leaf]), []].slice(0, MAX_TRIES);
  const create = async (fresh: readonly FreshLeaf[]): Promise<boolean> => {
    const { body } = creator.base;
    const text = body && withFreshLeaves(body.bytes.toString(), fresh);
    const inputs: Inputs =
      body && text !== undefined
        ? { ...creator.base, body: { ...body, bytes: Buffer.from(text) } }
        : creator.base;
    const sent = inputCase(creator, 'valid', 'an item of a list', inputs, {
      request: authorizedRequest(creator, inputs),
      expect: { kind: 'handled' },
    });
    const { outcome } = (await runner.probe(server, sent, 'valid')) ?? {};
    return isSuccess(outcome);
  };
  for (const fresh of tries) {
    if (!(await create(fresh)) || !(await create(fresh))) continue;
    for (let created = 2; created < count; created++) if (!(await create(fresh))) return false;
    return true;
  }
  return false;
}

/** The requests of a list: the minimal one, and each parameter that may be a number of items, around the bound. */
function asks({ document, oracle, operation, base }: OperationContext, bound: number): [string, Inputs][] {
  const numeric = slots(document, operation).filter(({ parameter, schema }) => {
    const types = branchCombinations(document.requests, anyValueOf(schema)).flatMap(admittedTypes);
    return parameter?.in === 'query' && (types.includes('integer') || types.includes('number'));
  });
  const asked = numeric.flatMap((slot) => {
    const { maximum } = branchCombinations(document.requests, anyValueOf(slot.schema))
      .flat()
      .reduce<{ maximum?: number }>(
        (found, { schema }) =>
          typeof schema['maximum'] === 'number' ? { maximum: schema['maximum'] } : found,
        {},
      );
    return [...new Set([bound, bound + 1, maximum ?? bound + 1])]
      .map((number) => new NumberLiteral(String(number)))
      .filter((value) => fitsSlot(oracle, slot, value))
      .map((value): [string, Inputs] => [`${slot.label} = ${print(value)}`, slot.fill(base, value)]);
  });
  return [['the minimal request', base], ...asked];
}
