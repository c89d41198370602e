import { pino } from 'pino';
import { type Answer, type Logger } from 'contract-first-server';
import { listening } from '../../../../scripts/testing/listening';
import { buildDocument, buildService } from '../../../../scripts/testing/service';
import { exchange } from '../../../../scripts/testing/wire';

const POST = 'POST /things HTTP/1.1\r\nHost: x\r\n\r\n';
const answering = (log?: (log: Logger) => void) => ({
  postThing: (given: { readonly log: Logger }): Promise<Answer> => {
    log?.(given.log);
    return Promise.resolve({ status: 204 });
  },
});

test('a handler uses the logger of the service, which is created once for each request that logs', async () => {
  const lines: string[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line) => lines.push(line) });
  let made = 0;
  const { app } = buildService({
    document: buildDocument(),
    handlers: answering((own) => {
      own.info({ size: 1 }, 'made');
      own.warn('late');
    }),
    loggerFor: (requestId, operationId) => {
      made++;
      return log.child({ requestId, operationId });
    },
  });
  await listening(app, (port) => exchange(port, POST));
  const of = { requestId: 'a-request', operationId: 'postThing' };
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { level: 30, ...of, size: 1, msg: 'made' },
    { level: 40, ...of, msg: 'late' },
  ]);
  expect(made).toBe(1);
});

test('a handler that does not log creates no logger', async () => {
  const loggerFor = jest.fn();
  const { app } = buildService({ document: buildDocument(), handlers: answering(), loggerFor });
  const [reply] = await listening(app, (port) => exchange(port, POST));
  expect([reply?.status, loggerFor.mock.calls]).toEqual([204, []]);
});

test('without a logger the console receives the lines', async () => {
  const info = jest.spyOn(console, 'info').mockImplementation(() => undefined);
  const { app } = buildService({
    document: buildDocument(),
    handlers: answering((log) => {
      log.info({ size: 1 }, 'made');
      log.info('done');
    }),
  });
  await listening(app, (port) => exchange(port, POST));
  const of = { requestId: 'a-request', operationId: 'postThing' };
  expect(info.mock.calls).toEqual([
    ['made', { ...of, size: 1 }],
    ['done', of],
  ]);
  info.mockRestore();
});
