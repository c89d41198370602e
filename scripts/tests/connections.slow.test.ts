import { walkConnections } from '../connections/run';

// The short form of `make connections`.
test('walks through the states of a connection lose no response, and leave nothing behind', async () => {
  expect(await walkConnections(150, () => undefined)).toEqual([]);
}, 600_000);
