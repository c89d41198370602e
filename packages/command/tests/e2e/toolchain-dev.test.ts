import { fast, slow } from '../../../../scripts/testing/cases';
import { COMMAND, copyToolchain, type Project } from '../../../../scripts/testing/project';
import { type RunningProcess, startProcess } from '../../../../scripts/testing/process';

jest.setTimeout(600_000);

const DOCUMENT = 'openapi/notes.yaml';
const HANDLER = 'src/handlers/create-note.ts';
const SERVING = /serving the current files after (\d+) ms/;

let project: Project;
let dev: RunningProcess;
/** The token that `dev` generates and prints. */
let token = '';
beforeEach(async () => {
  project = copyToolchain();
  project.makeFolder('scripts');
  // The other scripts belong to the service, and src/ has its own check.
  project.edit(
    'tsconfig.json',
    '["src", "tests", "scripts", "generated"]',
    '["scripts/new.ts", "generated"]',
  );
  const env = { PORT: '0', DATABASE_URL: 'memory:' };
  dev = startProcess([COMMAND, 'dev'], env, project.folder);
  [, token = ''] = await dev.printed(/Bearer ([\w-]+)/);
});
afterEach(async () => {
  await dev.stop('SIGKILL');
  project.remove();
});

async function create(address: string, note: object): Promise<unknown> {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Connection: 'close',
  };
  const response = await fetch(`${address}/notes`, { method: 'POST', headers, body: JSON.stringify(note) });
  return response.json();
}

/** Edits a file and resolves with the output that follows. */
async function edit(file: string, was: string, is: string, expected: RegExp): Promise<string> {
  const position = dev.output().length;
  project.edit(file, was, is);
  await dev.printed(expected, position);
  return dev.output().slice(position);
}

fast(() => {
  it('replaces the server after each edit without losing data or a request, and survives errors', async () => {
    const [address] = await dev.printed(/http:\/\/127\.0\.0\.1:\d+/);
    await dev.printed(SERVING);
    const fern = { id: 1, text: 'the fern' };
    const other = { id: 1, text: 'the palm' };
    expect(await create(address, fern)).toEqual({ text: 'the fern' });
    const conflict = (message: string) => ({ error: 40002, message });

    // an error in the code
    const wrong = await edit(HANDLER, 'status: 400', 'status: 409', /the previous server keeps running/);
    expect(wrong).toMatch(/src\/handlers\/create-note\.ts\(\d+,\d+\): error TS2322/);
    expect(await create(address, other)).toEqual(conflict('body/id 1 is another note'));

    // the fix and another message, during requests
    const going = new AbortController();
    const requests = (async () => {
      const answers: unknown[] = [];
      while (!going.signal.aborted) answers.push(await create(address, fern));
      return answers;
    })();
    project.edit(HANDLER, 'is another note', 'is taken');
    await edit(HANDLER, 'status: 409', 'status: 400', SERVING);
    await dev.printed(/"stopped"/);
    expect(dev.output()).toMatch(
      /^[^]*compiling src[^]*listening on[^]*Try[^]*curl[^]*serving[^]*compiling src[^]*listening on[^]*"stopping"[^]*"stopped"/,
    );
    expect(await create(address, other)).toEqual(conflict('body/id 1 is taken'));
    going.abort();
    expect(new Set((await requests).map((answer) => JSON.stringify(answer)))).toEqual(
      new Set(['{"text":"the fern"}']),
    );

    // an error in the document, then a change
    const lost = await edit(
      DOCUMENT,
      'schemas/NewNote',
      'schemas/NoNote',
      /the previous server keeps running/,
    );
    expect(lost).toMatch(/openapi\/notes\.yaml:\d+:\d+: .*NoNote" leads nowhere/);
    await edit(DOCUMENT, 'schemas/NoNote', 'schemas/NewNote', SERVING);
    const printed = await edit(DOCUMENT, 'type: string', 'type: string\n          maxLength: 8', SERVING);
    expect(printed).toContain('properties/text/maxLength: in requests: maxLength 8 is new');
    expect(await create(address, { id: 2, text: 'Philodendron' })).toEqual({
      error: 40001,
      message: 'body/text must NOT have more than 8 characters',
    });
    expect(dev.output().split(token).length).toBe(2); // it is printed once

    // an error in a script, which the server does not use
    const position = dev.output().length;
    project.write('scripts/new.ts', "export const one: number = 'two';\n");
    await dev.printed(
      /scripts\/new\.ts\(1,14\): error TS2322[^]*the server keeps running with the previous files/,
      position,
    );

    expect(await dev.stop('SIGINT')).toBe(0);
    expect(dev.output()).not.toContain('the check of tests and scripts ended');
    await expect(create(address, fern)).rejects.toThrow('fetch failed');
  });
});

slow(() => {
  it('watches new folders and scripts, and survives code that does not start', async () => {
    const [address] = await dev.printed(/http:\/\/127\.0\.0\.1:\d+/);
    await dev.printed(SERVING);

    // an error in a new file of a new folder
    const before = dev.output().length;
    project.makeFolder('src/extra');
    project.write('src/extra/new.ts', "export const one: number = 'two';\n");
    await dev.printed(/src\/extra\/new\.ts\(1,14\): error TS2322/, before);
    await edit('src/extra/new.ts', "'two'", '2', SERVING);

    // an error in a script, which the server does not use, beside one in src/
    await edit('src/extra/new.ts', 'number = 2', "number = 'two'", /the previous server keeps running/);
    const script = dev.output().length;
    project.write('scripts/new.ts', "export const one: number = 'two';\n");
    await dev.printed(
      /scripts\/new\.ts\(1,14\): error TS2322[^]*the server keeps running with the previous files/,
      script,
    );
    expect(dev.output().slice(script)).not.toContain('src/extra/new.ts');
    project.write('scripts/new.ts', '');
    await edit('src/extra/new.ts', "number = 'two'", 'number = 2', SERVING);

    // code that compiles but does not start
    const open = 'open: openDependencies,';
    const fault = `if (process.pid > 0) throw new Error('not today');`;
    const position = dev.output().length;
    const broken = `open: async (config, observer) => { ${fault} return openDependencies(config, observer); },`;
    project.edit('src/main.ts', open, broken);
    await dev.printed(
      /not today[\s\S]*the server did not start[\s\S]*the previous server keeps running/,
      position,
    );
    expect(await create(address, { id: 1, text: 'the fern' })).toEqual({ text: 'the fern' });

    // code that neither starts nor exits
    const waiting = "console.log('it waits'); await new Promise(() => setInterval(() => undefined, 1000));";
    await edit('src/main.ts', fault, waiting, /it waits/);
    await edit('src/main.ts', waiting, '', SERVING);

    expect(await dev.stop('SIGINT')).toBe(0);
  });
});
