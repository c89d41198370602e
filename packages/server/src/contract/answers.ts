/** Reads the answers of a service as a client of it does: to values, with each int64 as a bigint. */
import { Codecs } from './codecs/registry';
import { createJudges } from './compile';
import type { OpenApiDocument } from './document/document';
import { atFirstUse } from './exchange/plan';
import { planRequests } from './exchange/plan-request';
import type { Extensions } from './exchange/service-options';
import type { IncomingBody } from './http/body';
import type { Operation } from './operations/operations';
import { Problem } from './problem';
import { SchemaSet } from './schema/schema-set';
import { Shapes } from './schema/shapes';

/**
 * Reads the body of one media type of an answer.
 *
 * @returns its value, or an AsyncIterable of its items
 * @throws {Problem} if it is not what the document describes
 */
export type ReadAnswer = (body: IncomingBody) => Promise<unknown>;

/**
 * Compiles the readers of answers, each at its first use.
 *
 * @param document not one that a service uses: the findings are of what is read only
 * @returns the readers by the pointers of their media types; a range, and what can only be sent, have none
 */
export function compileAnswers(
  document: OpenApiDocument,
  operations: readonly Operation[],
  { formats = {}, codecs: own = [] }: Extensions,
): ReadonlyMap<string, ReadAnswer> {
  const codecs = new Codecs(own);
  const schemas = new SchemaSet(document, 'response');
  const plans = new Map<string, { key: string; plan: ReturnType<typeof planRequests> }>();
  for (const operation of operations)
    for (const media of [...operation.responses.values()].flatMap(({ content }) => content)) {
      const requestBody = { required: true, content: [media] };
      const answer = { ...operation, parameters: [], bodyLimit: undefined, requestBody };
      if (plans.has(media.pointer)) continue;
      plans.set(media.pointer, { key: media.key, plan: planRequests(document, answer, schemas, codecs) });
    }
  schemas.check();
  const { judgeOf, conformance } = createJudges('response', schemas, formats, atFirstUse);
  const shapes = new Shapes(schemas, 'request', conformance.of, false);
  const readers = new Map<string, ReadAnswer>();
  for (const [pointer, { key, plan }] of plans) {
    const requests = plan(atFirstUse, judgeOf, shapes);
    try {
      const reader = requests.accept(key, undefined);
      readers.set(pointer, async (body) => {
        const content = await requests.receive(reader, body);
        return requests.read(NOTHING_ELSE, reader, content).body;
      });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
  return readers;
}

/** An answer has no parameters. */
const NOTHING_ELSE = { path: new Map<string, string>(), query: '', rawHeaders: [] };
