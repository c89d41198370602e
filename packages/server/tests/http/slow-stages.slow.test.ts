import { endQuickTime, pass, SCALE } from '../../../../scripts/testing/quick-time';
import type { RequestListener } from 'node:http';
import { type Answer, bearerStrategy } from 'contract-first-server';
import {
  type JsonObject,
  type Received,
  type Result,
  run,
  type Server,
  type Target,
  urlTarget,
} from 'contract-first-prover';
import { listen, refusalsOf } from 'contract-first-prover/service';
import { plainRefusal, renderPlain } from '../../../../scripts/testing/plain-errors';
import { buildService } from '../../../../scripts/testing/service';

afterAll(endQuickTime);

const STAGES = [
  'listener',
  'authentication',
  'afterAuthentication',
  'beforeHandler',
  'handler',
  'store',
  'afterResponse',
] as const;
type Stage = (typeof STAGES)[number];

const schema: JsonObject = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer', minimum: 1, maximum: 99 } },
};
const content: JsonObject = { 'application/json': { schema } };
const anyJson = { 'application/json': {} };
const DOCUMENT: JsonObject = {
  openapi: '3.1.0',
  info: { title: 'Numbers', version: '1.0.0' },
  paths: {
    '/numbers': {
      post: {
        operationId: 'addNumber',
        security: [{ token: [] }],
        requestBody: { required: true, content },
        responses: {
          200: { description: 'added', content },
          '4XX': { description: 'refused', content: anyJson },
        },
      },
    },
  },
  components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
};

const CREDENTIALS = { valid: 'right', invalid: 'wrong' };

/** Bytes. */
const BODY_LIMIT = 2000;

/** A correct service, of which some stages take 500 ms. */
function slow(stages: readonly Stage[]): Target {
  const wait = (stage: Stage): Promise<void> => (stages.includes(stage) ? pass(500) : Promise.resolve());
  let received: Received | undefined;
  const start = async (): Promise<Server> => {
    let entered = 0;
    const { app } = buildService({
      document: structuredClone(DOCUMENT),
      strategies: {
        token: bearerStrategy(async (token) => {
          await wait('authentication');
          return token === 'right' && { token };
        }),
      },
      afterAuthentication: async () => {
        await wait('afterAuthentication');
        return undefined;
      },
      beforeHandler: () => wait('beforeHandler'),
      afterResponse: () => void wait('afterResponse'),
      handlers: {
        addNumber: async (request: Received): Promise<Answer> => {
          await wait('handler');
          entered += 1;
          received = request;
          await wait('store');
          return { status: 200, body: request.body };
        },
      },
      bodyLimit: BODY_LIMIT,
    });
    const wrap =
      (listener: RequestListener): RequestListener =>
      (request, response) => {
        void wait('listener').then(() => {
          listener(request, response);
        });
      };
    return { ...(await listen(app, { entered: () => entered }, renderPlain, wrap)), timeout: 10_000 * SCALE };
  };
  return {
    document: DOCUMENT,
    start,
    received: () => received,
    credentials: { token: CREDENTIALS },
    bodyLimit: BODY_LIMIT,
    refusals: refusalsOf(plainRefusal),
    situations: {},
    waivers: [],
  };
}

const ledgerOf = ({ obligations, failures, leftOut, summary }: Result) => ({
  obligations: obligations.map(({ key, state, passed, failed }) => [key, state, passed, failed]),
  failures: failures.map(({ title, problems }) => [title, problems]),
  leftOut,
  passed: summary.passed,
});

test('the ledger of a correct service is the same however long its stages take, from inside', async () => {
  const ledger = async (stages: readonly Stage[]) => ledgerOf(await run(slow(stages), { generated: 20 }));
  const quick = await ledger([]);
  expect(quick).toMatchObject({ failures: [], leftOut: [], passed: true });
  for (const found of await Promise.all(STAGES.map((stage) => ledger([stage])))) expect(found).toEqual(quick);
}, 600_000);

test('the ledger of a correct service is the same however long its stages take, by its URL', async () => {
  const ledger = async (stages: readonly Stage[]) => {
    const service = slow(stages);
    const server = await service.start();
    const target = urlTarget({
      url: `http://127.0.0.1:${server.port}`,
      document: DOCUMENT,
      credentials: { token: CREDENTIALS },
      bodyLimit: BODY_LIMIT,
      write: true,
      requestsPerSecond: 10_000,
      timeout: 10_000 * SCALE,
    });
    const result = await run(target, { generated: 20 });
    await server.close();
    return ledgerOf(result);
  };
  const quick = await ledger([]);
  expect(quick).toMatchObject({ failures: [], leftOut: [], passed: true });
  for (const found of await Promise.all(STAGES.map((stage) => ledger([stage])))) expect(found).toEqual(quick);
}, 600_000);
