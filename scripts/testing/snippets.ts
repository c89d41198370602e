import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, delimiter, dirname, join, resolve } from 'node:path';

export const ROOT = resolve(__dirname, '../..');

/** README and the pages of docs/. */
export const PAGES = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

export const readPage = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** A fenced block of a page. docs/README.md has the rule of them. */
export interface Snippet {
  /** The page and the line, such as `docs/README.md:40`. */
  readonly place: string;
  readonly language: string;
  /** What stands behind the language: the name of a file, `serves`, `serves in this project`, `fails 2`, `not run: REASON`. */
  readonly word: string;
  readonly text: string;
  /** Code in which the text takes the place of the line `// here`. */
  readonly around: string;
}

export function snippetsOf(page: string): Snippet[] {
  const text = readPage(page);
  const blocks = text.matchAll(/(?:^<!-- around\n([^]*?)-->\n+)?^( *)(`{3,})([^`\n]*)\n([^]*?)^\2\3$/gm);
  return [...blocks].map(
    ({ 0: whole, 1: around = '// here\n', 2: indent = '', 4: info = '', 5: body = '', index }) => {
      const [language = '', ...words] = info.split(' ');
      const line = text.slice(0, index + whole.indexOf('```')).split('\n').length;
      const lines = body.split('\n').map((one) => (one.startsWith(indent) ? one.slice(indent.length) : one));
      return { place: `${page}:${line}`, language, word: words.join(' '), text: lines.join('\n'), around };
    },
  );
}

/** What `<!-- NAME: VALUE -->` says at the top of a page. */
export const settingOf = (page: string, name: string): string | undefined =>
  new RegExp(`^<!-- ${name}: (.*) -->$`, 'm').exec(readPage(page))?.[1];

/** Milliseconds until a server listens. */
const START_TIMEOUT = 120_000;
const LISTENER = 'http://127.0.0.1:3000';

/** The terminals of a reader: one in which commands run, and one in which a server runs. */
export interface Terminal {
  /** Resolves with what the commands print, and the status of the one that ended them. */
  readonly run: (commands: string) => Promise<{ readonly status: number; readonly output: string }>;
  /** Starts a server in the place of the one before, and resolves with what it prints until it listens. */
  readonly serve: (command: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

/**
 * Opens terminals in a folder. Variables, functions and the current folder are kept from commands to commands, as a terminal
 * keeps them. Where they call http://127.0.0.1:3000, they call the server of the other terminal.
 *
 * @param programs a folder with programs that are taken before all others
 */
export function openTerminal(folder: string, programs: string): Terminal {
  const state = join(dirname(folder), `${basename(folder)}.state`);
  const PATH = [programs, dirname(process.execPath), process.env['PATH']].join(delimiter);
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PATH,
    PORT: '0',
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
    AGAIN: undefined,
  };
  let server: ChildProcess | undefined;
  let address = LISTENER;

  const keep = `trap '{ declare -px; declare -f; printf "cd %q\\n" "$PWD"; } > ${state}' EXIT`;
  /** Starts commands as a group of processes. */
  function start(commands: string, onText: (text: string) => void): ChildProcess {
    const script = `touch ${state}; . ${state}\nset -a -e -o pipefail\n${commands.replaceAll(LISTENER, address)}`;
    const child = spawn('bash', ['-c', script], {
      cwd: folder,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', onText);
    return child;
  }
  const ended = (child: ChildProcess) =>
    new Promise<number>((done) =>
      child.once('close', (status) => {
        done(status ?? -1);
      }),
    );
  async function close(): Promise<void> {
    if (server?.pid === undefined || server.exitCode !== null) return;
    const end = ended(server);
    process.kill(-server.pid, 'SIGTERM');
    await end;
  }

  return {
    async run(commands) {
      let output = '';
      const status = await ended(start(`${keep}\n${commands}`, (text) => (output += text)));
      return { status, output: output.replaceAll('\r', '').replaceAll(address, LISTENER) };
    },
    async serve(command) {
      await close();
      address = LISTENER;
      return new Promise((done, fail) => {
        let output = '';
        server = start(command, (text) => {
          output += text;
          const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
          if (found === undefined || address !== LISTENER) return;
          address = found;
          env['TOKEN'] = / Bearer ([\w-]+)/.exec(output)?.[1];
          done(output.replaceAll(found, LISTENER));
        });
        // A server that waits for an edit does not end.
        setTimeout(() => {
          fail(new Error(`the server did not listen: ${output}`));
        }, START_TIMEOUT).unref();
        void ended(server).then((status) => {
          fail(new Error(`the server ended with ${status}: ${output}`));
        });
      });
    },
    close,
  };
}

/** Whether a text has these parts in their order. `...` is any text between them. */
export function prints(text: string, expected: string): boolean {
  let from = 0;
  return expected
    .trim()
    .split(/\s*\.\.\.\s*/)
    .every((part) => {
      const at = text.indexOf(part, from);
      from = at + part.length;
      return at >= 0;
    });
}
