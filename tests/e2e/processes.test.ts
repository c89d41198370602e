import { join } from 'node:path';
import { openStore } from '../../src/storage/open';
import { createDatabase } from '../../scripts/testing/shared-postgres';
import { keepFolder } from '../../scripts/testing/folder';
import { startProcess } from '../../scripts/testing/process';

const PROCESSES = 10;
const PLANTS = 500;
const RACER = join(__dirname, '../../scripts/testing/racer.mjs');

const folder = keepFolder();

test.each([
  ['SQLite file', () => Promise.resolve(`sqlite:${folder}/plants.db`)],
  ['PostgreSQL', createDatabase],
])(
  'of ten processes that open a new %s and create the same ids, exactly one wins each',
  async (_, locate) => {
    const url = await locate();
    // Half of them run backwards: locks in the order of arrival would deadlock.
    const racers = Array.from({ length: PROCESSES }, (_, i) =>
      startProcess([RACER, url, `from ${i}`, String(PLANTS), ...(i % 2 === 0 ? [] : ['backwards'])], {}),
    );
    for (const step of [/^here$/m, /^open$/m]) {
      await Promise.all(racers.map(({ printed }) => printed(step)));
      for (const { writeLine } of racers) writeLine('go');
    }
    const printed = await Promise.all(racers.map((racer) => racer.printed(/^\[.*\]$/m)));
    const outcomes = printed.map(([line]) => JSON.parse(line) as string[]);
    await Promise.all(racers.map(({ exit }) => exit));

    const store = await openStore(url);
    for (let id = 0; id < PLANTS; id++) {
      const answers = outcomes.map((ofRacer) => ofRacer[id]);
      const winner = answers.indexOf('created');
      expect(answers).toEqual(answers.map((_, i) => (i === winner ? 'created' : 'conflict')));
      await expect(store.create({ id: BigInt(id), name: `from ${winner}` })).resolves.toBe('unchanged');
    }
    await store.close();
  },
);
