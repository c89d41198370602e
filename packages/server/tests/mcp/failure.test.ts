import { serving } from './museum';

let waiting: (() => void)[] = [];
/** Resolves once both requests have come so far. */
const both = () =>
  new Promise<void>((resolve) => {
    waiting.push(resolve);
    if (waiting.length < 2) return;
    for (const each of waiting) each();
    waiting = [];
  });

jest.mock('../../src/mcp/protocol', () => ({
  createProtocol: (_: unknown, _tools: unknown, _posts: unknown, onError: (error: Error) => void) => ({
    async fetch(_request: Request, { parsedBody: { id } }: { readonly parsedBody: { readonly id: string } }) {
      await both();
      onError(new Error(`the failure of ${id}`));
      await both();
      return new Response('', { status: 500 });
    },
  }),
}));

test('each of two requests that fail at once is reported with its own cause', () =>
  serving({}, async ({ ask, outcomes }) => {
    await Promise.all(
      ['one', 'two'].map(async (id) => {
        const { status } = await ask({ id }, { 'X-Request-Id': id });
        expect(status).toBe(500);
      }),
    );
    const causes = outcomes.map(({ requestId, problem }) => [requestId, problem?.cause]);
    expect(causes.sort()).toEqual([
      ['one', new Error('the failure of one')],
      ['two', new Error('the failure of two')],
    ]);
  }));
