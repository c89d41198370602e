import { copyProject, type Project } from '../support/project';
import { type RunningProcess, startProcess } from '../support/process';

jest.setTimeout(60_000);

const DOCUMENT = 'openapi/plant-store.yaml';
const HANDLER = 'src/handlers/create-plant.ts';
const SERVING = /serving what is there, after (\d+) ms/;

let project: Project;
let dev: RunningProcess;
beforeEach(() => {
  project = copyProject();
  const env = { PORT: '0', API_TOKENS: 'token', DATABASE_URL: `sqlite:${project.folder}/plants.db` };
  dev = startProcess(['--import', 'tsx', 'scripts/dev.ts'], env, project.folder);
});
afterEach(async () => {
  await dev.stop('SIGKILL');
  project.remove();
});

async function create(address: string, plant: object): Promise<unknown> {
  const headers = { Authorization: 'Bearer token', 'Content-Type': 'application/json', Connection: 'close' };
  const response = await fetch(`${address}/plants`, { method: 'POST', headers, body: JSON.stringify(plant) });
  return response.json();
}

/** Edits a file and resolves with what is printed then. */
async function edit(file: string, was: string, is: string, expected: RegExp): Promise<string> {
  const position = dev.output().length;
  project.edit(file, was, is);
  await dev.printed(expected, position);
  return dev.output().slice(position);
}

it('swaps the server on every edit without losing data or a request, and survives every mistake', async () => {
  const [address] = await dev.printed(/http:\/\/127\.0\.0\.1:\d+/);
  await dev.printed(SERVING);
  const monstera = { id: 1, name: 'Monstera' };
  const other = { id: 1, name: 'Ficus' };
  expect(await create(address, monstera)).toEqual({ name: 'Monstera' });
  const conflict = (message: string) => ({ error: 40002, message });

  // a mistake in the code
  const wrong = await edit(HANDLER, "'idTaken'", "'idToken'", /the last good server goes on/);
  expect(wrong).toMatch(/src\/handlers\/create-plant\.ts\(\d+,\d+\): error TS2345/);
  expect(await create(address, other)).toEqual(conflict('body/id 1 already names another plant'));

  // put right, and something else said, while requests are made
  const going = new AbortController();
  const requests = (async () => {
    const answers: unknown[] = [];
    while (!going.signal.aborted) answers.push(await create(address, monstera));
    return answers;
  })();
  project.edit(HANDLER, 'already names another plant', 'is taken');
  await edit(HANDLER, "'idToken'", "'idTaken'", SERVING);
  expect(await create(address, other)).toEqual(conflict('body/id 1 is taken'));
  going.abort();
  expect(new Set((await requests).map((answer) => JSON.stringify(answer)))).toEqual(
    new Set(['{"name":"Monstera"}']),
  );

  // a mistake in the document, then a change of it
  const lost = await edit(DOCUMENT, 'schemas/NewPlant', 'schemas/NoPlant', /the last good server goes on/);
  expect(lost).toMatch(/openapi\/plant-store\.yaml:\d+:\d+: Can't resolve \$ref/);
  project.edit(DOCUMENT, 'schemas/NoPlant', 'schemas/NewPlant');
  const told = await edit(DOCUMENT, 'type: string', 'type: string\n          maxLength: 8', SERVING);
  expect(told).toContain('properties/name/maxLength: in requests: maxLength 8 is new');
  expect(await create(address, { id: 2, name: 'Philodendron' })).toEqual({
    error: 40001,
    message: 'body/name must NOT have more than 8 characters',
  });

  // a mistake in a file that is new, in a folder that is new
  const before = dev.output().length;
  project.makeFolder('src/extra');
  project.write('src/extra/new.ts', "export const one: number = 'two';\n");
  await dev.printed(/src\/extra\/new\.ts\(1,14\): error TS2322/, before);
  await edit('src/extra/new.ts', "'two'", '2', SERVING);

  // what compiles, but does not start
  const config = 'const server = createHttpServer(';
  const position = dev.output().length;
  project.edit('src/main.ts', config, `if (process.pid > 0) throw new Error('not today');\n  ${config}`);
  await dev.printed(/not today[\s\S]*the server did not start[\s\S]*the last good server goes on/, position);
  expect(await create(address, other)).toEqual(conflict('body/id 1 is taken'));

  // what neither starts nor ends
  const waiting = "console.log('it waits'); await new Promise(() => setInterval(() => undefined, 1000));";
  await edit('src/main.ts', `if (process.pid > 0) throw new Error('not today');`, waiting, /it waits/);
  await edit('src/main.ts', waiting, '', SERVING);

  expect(await dev.stop('SIGINT')).toBe(0);
  await expect(create(address, monstera)).rejects.toThrow('fetch failed');
});
