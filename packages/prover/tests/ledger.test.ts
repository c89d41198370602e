import { readDocument } from '../src/document/reader';
import { openLedger } from '../src/ledger';
import { openWaivers } from '../src/waivers';
import { correctServer, target } from './support/simple-server';

test('without a case, requests could prove each promise of the protocol but a limit that nobody stated', () => {
  const { bodyLimit, ...unlimited } = target(correctServer);
  const settled = (given: Parameters<typeof openLedger>[1]) =>
    openLedger(readDocument(given.document), given)
      .settled(openWaivers({ waivers: [] }, ''))
      .filter(({ kind }) => kind === 'protocol')
      .map(({ key, state }) => [key.split(' | ').at(-1), state]);
  const states = settled({ ...unlimited, bodyLimit });
  expect(states.length).toBeGreaterThan(3);
  expect(new Set(states.map(([, state]) => state))).toEqual(new Set(['UNPROVEN']));
  expect(settled(unlimited).filter(([, state]) => state !== 'UNPROVEN')).toEqual([
    ['body limit', 'OUT OF REACH'],
  ]);
});
