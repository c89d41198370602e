/**
 * `make loop`: edits the document in a copy of the project, follows the tools until all is proven again, and draws what
 * they printed for docs/loop.md: scripts/loop/loop.svg.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyProject, type Project } from '../testing/project';

/** A step of the loop: what a person does or calls, and what is printed. */
interface Panel {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Pixels. */
const [WIDTH, GAP, PADDING, LINE, HEAD] = [480, 20, 14, 18, 34];
/** Characters of a line, of 7.2 pixels each. */
const COLUMNS = 62;

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** A line of more characters goes on in the next, indented by two more. */
function wrap(line: string): string[] {
  if (line.length <= COLUMNS) return [line];
  const space = line.lastIndexOf(' ', COLUMNS);
  const at = space > COLUMNS / 2 ? space : COLUMNS;
  const indent = ' '.repeat(line.search(/\S/) + 2);
  return [line.slice(0, at), ...wrap(indent + line.slice(at).trimStart())];
}

const classOf = (line: string): string =>
  line.startsWith('+ ') || line.startsWith('PROVEN')
    ? 'good'
    : /^- |error|missing|^breaking/.test(line)
      ? 'bad'
      : 'plain';

/** An SVG with two panels a row, numbered in order. It follows the reader's light or dark mode. */
function draw(panels: readonly Panel[]): string {
  const all = panels.map(({ title, lines }) => ({
    title,
    rows: lines.flatMap((line) => wrap(line).map((text) => ({ text, color: classOf(line) }))),
  }));
  const parts: string[] = [];
  let top = 0;
  for (let row = 0; row < all.length; row += 2) {
    const pair = all.slice(row, row + 2);
    const height = HEAD + PADDING + Math.max(...pair.map(({ rows }) => rows.length)) * LINE;
    pair.forEach(({ title, rows }, column) => {
      const left = column * (WIDTH + GAP);
      parts.push(`<g transform="translate(${left} ${top})">`);
      parts.push(`<rect class="panel" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>`);
      parts.push(`<text class="title" x="${PADDING}" y="22">${row + column + 1}. ${escape(title)}</text>`);
      rows.forEach(({ text, color }, i) => {
        const y = HEAD + PADDING + i * LINE;
        parts.push(
          `<text class="${color}" x="${PADDING}" y="${y}" xml:space="preserve">${escape(text)}</text>`,
        );
      });
      parts.push('</g>');
    });
    top += height + GAP;
  }
  const size = `${2 * WIDTH + GAP} ${top - GAP}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size}" role="img" aria-label="The loop: edit the document, generate, follow the compiler, prove">
<style>
text { font: 12px ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #1f2328 }
.title { font: 600 14px system-ui, sans-serif }
.panel { fill: #f6f8fa; stroke: #d1d9e0 }
.good { fill: #116329 }
.bad { fill: #a40e26 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .panel { fill: #161b22; stroke: #30363d }
  .good { fill: #56d364 }
  .bad { fill: #ff7b72 }
}
</style>
${parts.join('\n')}
</svg>
`;
}

const DOCUMENT = 'openapi/plant-store.yaml';
const OVERLAY = 'openapi/overlay.yaml';
const HANDLER = 'src/handlers/create-plant.ts';
const SCENARIOS = 'tests/contract/scenarios.ts';

/** The lines that an edit removes and adds. */
function edit(project: Project, file: string, was: string, is: string): string[] {
  project.edit(file, was, is);
  const [before, after] = [was.split('\n'), is.split('\n')];
  const indent = Math.min(...after.filter((line) => line !== '').map((line) => line.search(/\S/)));
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line.slice(indent)}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line.slice(indent)}`),
  ];
}

function run(project: Project, expected: number, verb: string, ...args: string[]): string[] {
  console.error(`contract-first ${[verb, ...args].join(' ')}`);
  const { status, output } = project.command(verb, ...args);
  if (status !== expected)
    throw new Error(`${verb}: expected the status ${expected}, got ${String(status)}\n${output}`);
  return output.trimEnd().split('\n');
}

function goRound(project: Project): Panel[] {
  const property = edit(
    project,
    DOCUMENT,
    '        - name\n      properties:\n',
    '        - name\n        - height\n      properties:\n        height: { type: integer, minimum: 0 }\n',
  );
  const example = edit(
    project,
    OVERLAY,
    '{ id: 1, name: Monstera, tag: tropical }',
    '{ id: 1, name: Monstera, tag: tropical, height: 30 }',
  );
  const generated = run(project, 0, 'generate');
  const [error = ''] = run(project, 1, 'check', '--only', 'code');
  const handler = [
    ...edit(project, HANDLER, 'body: { id, name, tag }', 'body: { id, name, tag, height }'),
    ...edit(project, HANDLER, 'body: plant }', 'body: { ...plant, height } }'),
  ];
  project.write(SCENARIOS, project.read(SCENARIOS).replaceAll(/"name":/g, '"height":30,"name":'));
  const { output } = project.run('tsc', '-p', 'src', '--noEmit');
  if (output !== '') throw new Error(`tsc: expected no error\n${output}`);
  const proven = run(project, 0, 'contract').slice(0, 2);
  return [
    { title: 'Edit openapi/', lines: [...property, ...example] },
    { title: 'make generate', lines: generated },
    { title: 'make check', lines: [error] },
    { title: `Edit ${HANDLER}, make contract`, lines: [...handler, '', ...proven] },
  ];
}

const project = copyProject('tests/contract', 'eslint.config.mjs');
try {
  const file = join(__dirname, './loop.svg');
  writeFileSync(file, draw(goRound(project)));
  console.error(`${file} is drawn.`);
} finally {
  project.remove();
}
