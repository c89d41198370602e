import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readWaiversFile, runCommand } from './command';
import { main } from './main';
import { correctServer, target } from './simple-server';

const NEVER_CONFLICTS = { obligation: /409/, reason: 'no conflict can occur' };

let folder: string;
let printed: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'command-'));
  printed = [];
  for (const method of ['log', 'error'] as const)
    jest.spyOn(console, method).mockImplementation((...texts: unknown[]) => {
      printed.push(texts.join(' '));
    });
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const values = (): { report: string; runs: string; github: boolean } => ({
  report: folder,
  runs: '1',
  github: false,
});

describe('the exit status', () => {
  test('is 0 if everything is proven', async () => {
    expect(await runCommand(target(correctServer, [NEVER_CONFLICTS]), values())).toBe(0);
    expect(printed.join('\n')).toContain('Numbers keeps its contract.');
    expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain('Numbers keeps its contract.');
  });

  test('is 1 if something is not proven', async () => {
    expect(await runCommand(target(correctServer), values())).toBe(1);
    expect(printed.join('\n')).toContain('Numbers broke nothing, but 1 obligation could not be proven.');
  });

  test('is 1 if something failed, and annotates the lines on request', async () => {
    const broken = target((request, body) =>
      body === '1000001' ? { status: 204 } : correctServer(request, body),
    );
    const status = await runCommand(broken, { ...values(), github: true }, { locate: () => 'a.yaml:7:1' });
    expect(status).toBe(1);
    expect(printed.join('\n')).toContain('::error file=a.yaml,line=7,title=');
  });

  const bad: [name: string, argv: string[], message: RegExp][] = [
    ['no arguments', [], /expected --url and --doc/],
    ['an unknown option', ['--wrong'], /wrong/],
    ['an unknown document', ['--url', 'http://127.0.0.1:1', '--doc', 'none.json'], /none\.json/],
    [
      'an unreachable server',
      ['--url', 'http://127.0.0.1:1', '--doc', 'good.json'],
      /expected a server at http:\/\/127\.0\.0\.1:1, got none/,
    ],
    ['a URL without a server', ['--url', 'ftp://h', '--doc', 'good.json'], /expected a URL such as/],
    [
      'a wrong number',
      ['--url', 'http://127.0.0.1:1', '--doc', 'good.json', '--seed', 'x'],
      /expected --seed to be an integer, got "x"/,
    ],
    [
      'a wrong case',
      ['--url', 'http://127.0.0.1:1', '--doc', 'good.json', '--replay', 'x'],
      /expected a case as a report prints it/,
    ],
    [
      'an unknown file of waivers',
      ['--url', 'http://127.0.0.1:1', '--doc', 'good.json', '--waivers', 'no.yaml'],
      /no\.yaml/,
    ],
  ];
  test.each(bad)('is 2 for %s, with a sentence', async (_, argv, message) => {
    const { document } = target(correctServer);
    const readSource = (file: string) => {
      if (file !== 'good.json') throw new Error(`expected a document, got no file ${file}`);
      return { document };
    };
    expect(await main(argv, readSource)).toBe(2);
    expect(printed.join('\n')).toMatch(message);
    expect(printed.join('\n')).not.toMatch(/\n\s+at /);
  });
});

describe('a file of waivers', () => {
  test('is YAML or JSON', () => {
    const file = join(folder, 'waivers.yaml');
    writeFileSync(file, `- failure: 'putNumber | *'\n  reason: until release 2\n  expires: 2026-12-31\n`);
    expect(readWaiversFile(file)).toEqual([
      { failure: 'putNumber | *', reason: 'until release 2', expires: '2026-12-31' },
    ]);
  });

  test('is refused with its name', () => {
    const file = join(folder, 'waivers.json');
    writeFileSync(file, '[{}]');
    expect(() => readWaiversFile(file)).toThrow(
      `${file}: waiver 1: expected a text \`failure\` or \`obligation\``,
    );
  });
});
