import { compileFunction } from 'node:vm';
import { ModuleKind, ScriptTarget, transpile } from 'typescript';
import * as database from 'contract-first-database';
import type { Delivery, SentMessage } from '../../src/runtime/webhooks/senders';
import { useDatabases } from '../../../../scripts/testing/databases';
import { snippetsOf } from '../../../../scripts/testing/snippets';

// The outbox of docs/webhooks.md, on the databases that servers share.

interface Outbox {
  readonly outbox: database.TableOf<{ readonly due: typeof database.TIMESTAMP }>;
  readonly keep: (queries: database.Queries, message: SentMessage) => Promise<number>;
  readonly outboxIn: (of: database.Database) => { take: () => Promise<{ id: string }[]> };
  readonly sendDue: (kept: unknown, senders: unknown) => Promise<number>;
  readonly openOutbox: (
    kept: unknown,
    senders: unknown,
    report: (error: unknown) => void,
  ) => { close: () => Promise<void> };
}

/** What the deliveries under way repeat until they end. */
const renewals: (() => void)[] = [];

function readOutbox(): Outbox {
  const { text = '' } =
    snippetsOf('docs/webhooks.md').find(({ word }) => word === 'src/storage/outbox.ts') ?? {};
  const exports = {} as Outbox;
  const run = compileFunction(transpile(text, { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 }), [
    'exports',
    'require',
    'setInterval',
    'clearInterval',
  ]);
  const load = (name: string): unknown =>
    name === 'contract-first-database' ? database : jest.requireActual(name);
  Reflect.apply(run, undefined, [
    exports,
    load,
    (renew: () => void) => {
      renewals.push(renew);
      return renew;
    },
    (renew: () => void) => renewals.splice(renewals.indexOf(renew), 1),
  ]);
  return exports;
}

const { outbox, keep, outboxIn, sendDue, openOutbox } = readOutbox();
const message = (id: string): SentMessage => ({
  ...{ id, name: 'made', method: 'POST', url: 'https://a.example' },
  ...{ headers: {}, body: `"${id}"` },
});
const schema: database.Schema = {
  ...{ name: 'outbox_test', mark: 'Outb', migrations: [['outbox', database.createTable(outbox)]] },
  probe: database.sql`DELETE FROM outbox WHERE id = ''`,
};

/** Senders with an answer for each message, by its id. */
function sendersWith(answer: (id: string) => Partial<Delivery>) {
  const sent: string[] = [];
  const deliver = ({ id, body }: SentMessage) => {
    expect(body).toBe(`"${id}"`);
    sent.push(id);
    return Promise.resolve({ delivered: false, gone: false, ...answer(id) });
  };
  return { sent, deliver, close: () => Promise.resolve() };
}

describe.each(useDatabases().filter(({ kind }) => /^(SQLite|PostgreSQL)$/.test(kind)))(
  '$kind',
  ({ locate }) => {
    let url: string;
    let opened: database.Database;
    beforeEach(async () => {
      url = await locate();
      opened = await database.openDatabase(url, schema);
    });
    afterEach(() => opened.close());
    /** The milliseconds until the only message that is left is due; then they are over. */
    const wait = async () => {
      const row = database.only(await opened.query(database.select(outbox)``));
      await opened.execute(database.update(outbox, { due: new Date(0).toISOString() })``);
      return Date.parse(row.due) - Date.now();
    };
    const ids = async () =>
      (await opened.query(database.sql<{ id: string }>`SELECT id FROM outbox ORDER BY id`)).map(
        ({ id }) => id,
      );

    test('what is kept in a transaction that fails is not sent', async () => {
      const failing = opened.transaction(async (queries) => {
        await keep(queries, message('a'));
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(
        await sendDue(
          outboxIn(opened),
          sendersWith(() => ({ delivered: true })),
        ),
      ).toBe(0);
    });

    test('what is delivered or gone leaves the table, and the rest is sent again when it is due', async () => {
      for (const id of ['delivered', 'failed', 'gone']) await keep(opened, message(id));
      const senders = sendersWith((id) => ({ [id]: true }));
      expect(await sendDue(outboxIn(opened), senders)).toBe(3);
      expect(await ids()).toEqual(['failed']);
      expect(await sendDue(outboxIn(opened), senders)).toBe(0);
      for (let attempts = 2; attempts <= 13; attempts++) {
        expect((await wait()) / (60_000 * 2 ** (attempts - 1))).toBeCloseTo(1, 0);
        expect(await sendDue(outboxIn(opened), senders)).toBe(1);
      }
      expect(await ids()).toEqual([]);
    });

    test('a message whose delivery takes long stays with the server that sends it', async () => {
      await keep(opened, message('slow'));
      let end: (result: Delivery) => void = () => undefined;
      const deliver = () => new Promise<Delivery>((resolve) => (end = resolve));
      const sending = sendDue(outboxIn(opened), { deliver, close: () => Promise.resolve() });
      while (renewals.length === 0) await new Promise(setImmediate);
      await wait(); // the lease is over
      renewals[0]?.();
      const isFree = async () => {
        const row = database.only(await opened.query(database.select(outbox)``));
        return Date.parse(row.due) <= Date.now();
      };
      while (await isFree()) await new Promise(setImmediate);
      expect(await outboxIn(opened).take()).toEqual([]);
      end({ delivered: true, gone: false } as Delivery);
      expect(await sending).toBe(1);
      expect([renewals, await ids()]).toEqual([[], []]);
    });

    test('a message that cannot be sent keeps no other back, and is given up after as many attempts', async () => {
      for (const id of ['unknown', 'known']) await keep(opened, message(id));
      const senders = sendersWith((id) => {
        if (id === 'unknown') throw new Error('unknown is not sent');
        return { delivered: true };
      });
      for (let attempts = 1; attempts <= 13; attempts++) {
        await expect(sendDue(outboxIn(opened), senders)).rejects.toThrow('unknown is not sent');
        expect(await ids()).toEqual(attempts < 13 ? ['unknown'] : []);
        if (attempts < 13) await wait();
      }
    });

    test('a message that a server took and did not send, because it crashed, is sent by another', async () => {
      await keep(opened, message('a'));
      const other = await database.openDatabase(url, schema);
      const crashed = await outboxIn(other).take();
      await other.close();
      expect(crashed.map(({ id }) => id)).toEqual(['a']);
      const senders = sendersWith(() => ({ delivered: true }));
      expect(await sendDue(outboxIn(opened), senders)).toBe(0);
      expect(await wait()).toBeLessThanOrEqual(120_000);
      expect(await sendDue(outboxIn(opened), senders)).toBe(1);
      expect([senders.sent, await ids()]).toEqual([['a'], []]);
    });

    test('two servers that look at the same time send each message once, until they are closed', async () => {
      const all = Array.from({ length: 150 }, (_, i) => `m${i}`);
      for (const id of all) await keep(opened, message(id));
      const other = await database.openDatabase(url, schema);
      const senders = sendersWith(() => ({ delivered: true }));
      const errors: unknown[] = [];
      const open = [opened, other].map((of) =>
        openOutbox(outboxIn(of), senders, (error) => errors.push(error)),
      );
      while (senders.sent.length < all.length) await new Promise(setImmediate);
      for (const one of open) await one.close();
      await other.close();
      expect([senders.sent.toSorted(), errors, await ids()]).toEqual([all.toSorted(), [], []]);
    });
  },
);
