import { type Answer, bearerStrategy } from 'contract-first-server';
import { createApp, openInOrder, type RuntimeOptions } from 'contract-first-server/runtime';
import { PLAIN_ERRORS } from 'contract-first-server/tools';
import { describeFailure, run } from 'contract-first-prover';
import { serviceTarget } from 'contract-first-prover/service';
import { buildDocument, withRefusals } from '../../../../scripts/testing/service';

/** How many are open, and how many were. */
const count = { open: 0, opened: 0 };

/** A store that only works while it is open. */
function openStore() {
  let isOpen = true;
  count.open++;
  count.opened++;
  return {
    use: () => {
      if (!isOpen) throw new Error('the store is closed');
    },
    close: () => {
      isOpen = false;
      count.open--;
      return Promise.resolve();
    },
  };
}

const open = () => openInOrder(async (opened) => ({ store: await opened(openStore()), token: 'a-token' }));
type Dependencies = Awaited<ReturnType<typeof open>>;

const any = { description: '', content: { 'application/json': { schema: {} } } };
const DOCUMENT = withRefusals(
  buildDocument({
    operation: { responses: { 204: { description: '' }, '4XX': any, '5XX': any } },
    components: { securitySchemes: { own: { type: 'http', scheme: 'bearer' } } },
    security: [{ own: [] }],
  }),
);

type Handlers = Readonly<Record<string, () => Promise<Answer>>>;

const sound = ({ store: { use } }: Dependencies): Handlers => ({
  postThing: () => {
    use();
    return Promise.resolve({ status: 204 });
  },
});

/** Whatever is given the dependencies takes them apart at once. */
const target = (createHandlers: (dependencies: Dependencies) => Handlers = sound) =>
  serviceTarget({
    document: DOCUMENT,
    open,
    createHandlers,
    createApp: (handlers, options: RuntimeOptions, { store: { use } }) =>
      createApp({ handlers, errors: PLAIN_ERRORS, beforeHandler: use }, options),
    errors: PLAIN_ERRORS,
    refusal: (kind) => ({ status: PLAIN_ERRORS.table[kind].status }),
    verifiers: {
      own: ({ store: { use }, token }: Dependencies) =>
        bearerStrategy((given) => {
          use();
          return given === token && { id: 'a client' };
        }),
    },
    credentials: ({ token }) => ({ own: { valid: token, invalid: 'another' } }),
  });

test('handlers, verifiers, hooks and credentials may take the dependencies apart, and all that was opened is closed', async () => {
  const { failures, obligations, passed } = await run(target(), { seed: 1, generated: 10 });
  expect(failures.map(describeFailure)).toEqual([]);
  expect(obligations.filter(({ state }) => state !== 'PROVEN')).toEqual([]);
  expect(passed).toBe(true);
  expect(count).toEqual({ open: 0, opened: expect.any(Number) as number });
  expect(count.opened).toBeGreaterThan(3);
});

test('a credential that the service made stands in no curl line', async () => {
  const strict = target(() => ({ postThing: () => Promise.resolve({ status: 302 }) }));
  const { failures } = await run(strict, { seed: 1, generated: 1 });
  const texts = failures.map(describeFailure).join('\n');
  expect(texts).toContain('Bearer \'"$(printenv OWN_SECRET)"');
  expect(texts).not.toContain('a-token');
});

test('what was opened is closed if the handlers or the application cannot be made', async () => {
  const broken = target(() => {
    throw new Error('no handlers');
  });
  await expect(broken.inspect()).rejects.toThrow('no handlers');
  await expect(broken.start()).rejects.toThrow('no handlers');
  await expect(target(() => ({})).start()).rejects.toThrow('postThing');
  expect(count.open).toBe(0);
});
