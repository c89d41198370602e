import { openDatabase, sql, StoreUnavailable } from 'contract-first-database';
import { type Result, run } from 'contract-first-prover';
import { contractReport } from '../src/report/contract-report';
import { githubAnnotations } from '../src/report/github';
import { htmlPage } from '../src/report/page';
import { junitXml } from '../src/report/junit';
import { formatReport } from '../src/report/terminal';
import { openExample } from '../../../tests/contract/scenarios';
import { service } from '../../../tests/contract/service';

const { valid: TOKEN = '' } = service().credentials['bearerAuth'] ?? {};

/** The service, whose store has a misspelled column, is away for one kind of plants, and shows what it must not. */
async function failing(): Promise<Result> {
  const database = await openDatabase('memory:', {
    name: 'plants',
    mark: 'Plan',
    migrations: [['plants', sql`CREATE TABLE plants (id INTEGER PRIMARY KEY)`]],
    probe: sql`SELECT 1`,
  });
  const open = async () => {
    const { store, ...others } = await openExample();
    return {
      ...others,
      store: {
        ...store,
        create: async (plant: Parameters<typeof store.create>[0]) => {
          if (plant.name.length > 100)
            throw new StoreUnavailable('postgres://planter:a-password@db.example/plants is away');
          if (plant.id < 0n) throw new TypeError(`no tag for ${plant.name}, of ${TOKEN}`);
          if (plant.tag === undefined)
            await database.query(sql`SELECT titel FROM plants WHERE id = ${plant.id}`);
          return store.create(plant);
        },
      },
    };
  };
  const result = await run(service({ open }), { generated: 3 });
  await database.close();
  return result;
}

describe('what a service has logged of its failures', () => {
  let result: Result;
  beforeAll(async () => {
    result = await failing();
  });

  test.each([
    ['the terminal', (of: Result) => formatReport(of)],
    ['HTML', (of: Result) => htmlPage(contractReport(of))],
    ['JSON', (of: Result) => JSON.stringify(contractReport(of))],
    ['JUnit', (of: Result) => junitXml(contractReport(of))],
    ['annotations for GitHub', (of: Result) => githubAnnotations(contractReport(of)).join('\n')],
  ])('stands in %s once for each cause, without values and secrets', (_, print) => {
    const text = print(result);
    const count = (part: string): number => text.split(part).length - 1;
    expect(text).toMatch(/StatementError: .*no such column: titel/);
    expect(text).toMatch(/statement: SELECT titel FROM plants WHERE id = /);
    expect(text).toMatch(/at .{0,80}packages\/prover\/tests\/logged\.test\.ts:\d+/);
    expect(text).toMatch(/StoreUnavailable: postgres:\/\/planter:\.\.\.@db\.example\/plants is away/);
    for (const part of ['titel FROM', 'TypeError: no tag for', 'plants is away'])
      expect([part, count(part)]).toEqual([part, 1]);
    expect(text).not.toContain('a-password');
    const logged = text.split('TypeError: no tag for')[1]?.slice(0, 60) ?? '';
    expect(logged).not.toMatch(/Monstera|monday|tuesday|wednesday|secret/);
  });
});
