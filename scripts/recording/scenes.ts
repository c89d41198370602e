import { join } from 'node:path';

/** A command in a terminal. */
export interface Scene {
  readonly command: string;
  readonly output: string;
  /** Until the last line of its output. */
  readonly seconds: number;
}

export const RECORDING = join(__dirname, 'first-minute.svg');

/** The command that creates a plant with a body that is rejected: the id is 2^63. */
export const rejectedBy = (command: string): string =>
  command.replace(/-d '.*'/, `-d '{"id":9223372036854775808,"name":"Fern"}'`);

/** The values that differ from run to run, each replaced by one that a reader could see, and header fields of no interest here. */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  // The colors of a terminal.
  [/\u001b\[[\d;]*m|\r/g, ''],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:3000'],
  [/Bearer [\w-]+/g, 'Bearer 6Yd5XhE0vKq2mT9c'],
  [/^\[[\d:.]+\] /gm, ''],
  [/^(Date|X-Request-Id|X-Content-Type-Options|Connection|Keep-Alive): .*\n/gm, ''],
];

/** What a terminal shows, as it is in the recording. */
export const shown = (output: string): string =>
  REPLACED.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), output).trim();

/** The command that the server prints. */
export function curlIn(output: string): string {
  const [command] = /curl [^]*?'(?=\r?\n)/.exec(output) ?? [];
  if (command === undefined) throw new Error(`expected a curl command in:\n${output}`);
  return command.replaceAll('\r', '');
}

/** Pixels. Characters have a width of 7.25. */
const [WIDTH, PADDING, LINE] = [860, 18, 19];
const COLUMNS = 112;
/** Seconds of the animation: before the output of a command, and between two lines of it. */
const [PAUSE, BETWEEN] = [0.9, 0.12];

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A terminal as an SVG. Lines appear one after the other, or all at once for readers who prefer no motion. */
export function draw(scenes: readonly Scene[]): string {
  let at = 0;
  let row = 0;
  const texts: string[] = [];
  const add = (text: string, kind: string) => {
    const y = PADDING + LINE * ++row;
    texts.push(
      `<text class="${kind}" x="${PADDING}" y="${y}" xml:space="preserve" style="animation-delay:${at.toFixed(2)}s">${escape(text)}</text>`,
    );
  };
  for (const { command, output, seconds } of scenes) {
    for (const [i, line] of command.split('\n').entries()) add(i === 0 ? `$ ${line}` : line, 'typed');
    at += PAUSE;
    for (const line of output.split('\n')) {
      for (const part of line.match(new RegExp(`.{1,${COLUMNS}}`, 'g')) ?? ['']) add(part, kindOf(part));
      at += BETWEEN;
    }
    if (seconds > 1) add(`(${seconds} seconds)`, 'time');
    row++;
    at += PAUSE;
  }
  const height = 2 * PADDING + LINE * row;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="A terminal: make run installs, builds and serves; a plant is created by curl; a plant whose id is too large is rejected">
<style>
text { font: 12px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2328; animation: appear 0s backwards }
@keyframes appear { from { opacity: 0 } }
rect { fill: #f6f8fa; stroke: #d1d9e0 }
.typed { font-weight: 600 }
.good { fill: #116329 }
.bad { fill: #a40e26 }
.time { fill: #59636e; font-style: italic }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  rect { fill: #161b22; stroke: #30363d }
  .good { fill: #56d364 }
  .bad { fill: #ff7b72 }
  .time { fill: #9198a1 }
}
@media (prefers-reduced-motion: reduce) { text { animation: none } }
</style>
<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
${texts.join('\n')}
</svg>
`;
}

function kindOf(line: string): string {
  if (/^HTTP\/1.1 2/.test(line) || line.includes('listening on')) return 'good';
  return /^HTTP\/1.1 4/.test(line) ? 'bad' : 'plain';
}

/** The lines of a recording, as they are shown. */
export const linesOf = (svg: string): string[] =>
  [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = '']) =>
    text.replaceAll('&lt;', '<').replaceAll('&amp;', '&'),
  );
