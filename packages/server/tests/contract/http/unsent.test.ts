import { PassThrough } from 'node:stream';
import { Unsent } from '../../../src/contract/http/unsent';

const MOST = 100;

/** Writes to connections of which no client reads; tells which remain open. */
function write(...bytes: readonly number[]): boolean[] {
  const connections = bytes.map(
    () => new PassThrough({ writableHighWaterMark: 1, readableHighWaterMark: 1 }),
  );
  const open = new Map(connections.map((connection) => [connection, undefined]));
  let closed = 0;
  const unsent = new Unsent(open, () => closed++, MOST);
  for (const [at, connection] of connections.entries()) {
    connection.cork(); // the operating system takes nothing
    connection.write(Buffer.alloc(bytes[at] ?? 0));
    unsent.wrote(connection.writableLength);
  }
  const isOpen = connections.map(({ destroyed }) => !destroyed);
  expect(closed).toBe(isOpen.filter((each) => !each).length);
  return isOpen;
}

test.each([
  ['up to the bound all connections stay open', [40, 60], [true, true]],
  ['beyond the bound the connection with the most bytes is closed', [40, 60, 30], [true, false, true]],
  ['as many connections are closed as it takes', [30, 30, 30, 70, 90], [true, true, true, false, false]],
  ['one response that exceeds the bound alone passes', [20, 500, 60], [true, true, true]],
  ['the others are bounded beside it', [20, 500, 60, 40], [true, true, false, true]],
  ['of two such responses the smaller is closed', [200, 500], [false, true]],
])('%s', (_, bytes, open) => {
  expect(write(...bytes)).toEqual(open);
});

test.each([16, 1_024, 16_384])(
  'beside %d connections just below the bound a write looks at less than one',
  (count) => {
    const most = 67_108_864;
    let looks = 0;
    const connection = () => {
      const duplex = new PassThrough();
      Object.defineProperty(duplex, 'writableLength', { get: () => (looks++, most / count) });
      return duplex;
    };
    const unsent = new Unsent(
      new Map(Array.from({ length: count }, () => [connection(), undefined])),
      () => {
        throw new Error('expected no connection to be closed');
      },
      most,
    );
    unsent.wrote(most);
    const writes = 65_536;
    for (let i = 0; i < writes; i++) unsent.wrote(500);
    expect(looks / writes).toBeLessThan(1);
  },
);
