import { asObject, asString } from '../json/json';
import type { Failure } from '../failure';
import type { Result } from '../run';
import type { KeywordRow, ResponseTable } from './tables';
import { failureLines } from './text';

const STYLE = `
:root { color-scheme: light dark; --paper: light-dark(#fbfaf7, #14161a); --ink: light-dark(#1d2126, #e6e4df);
  --soft: light-dark(#6d737b, #969ca5); --line: light-dark(#e4e1d8, #2a2e35); --card: light-dark(#fff, #1b1e24);
  --good: light-dark(#2c7a4b, #6cc58f); --wait: light-dark(#9a6b00, #e0b354); --bad: light-dark(#b3261e, #ff8a80); }
:root[data-theme=light] { color-scheme: light } :root[data-theme=dark] { color-scheme: dark }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 72rem; padding: 3rem 1.5rem 6rem; background: var(--paper); color: var(--ink);
  font: 16px/1.55 Charter, 'Bitstream Charter', 'Iowan Old Style', Georgia, serif }
h1 { font-size: 2.4rem; line-height: 1.15; margin: 0; letter-spacing: -.01em; font-weight: 600 }
h2 { font-size: 1.25rem; margin: 3.2rem 0 .3rem; font-weight: 600 }
p.lead, p.note { color: var(--soft); margin: .4rem 0 1rem; max-width: 46rem }
code, pre, td, th, .chip, input, button { font-family: ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, monospace; font-size: .8rem }
header { display: flex; justify-content: space-between; align-items: start; gap: 1rem }
button { background: none; color: var(--soft); border: 1px solid var(--line); border-radius: 99px; padding: .3rem .8rem; cursor: pointer }
button[aria-pressed=true] { color: var(--ink); border-color: var(--ink) }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .8rem; margin: 2rem 0 0 }
.figure { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1rem 1.1rem }
.figure b { display: block; font-size: 1.9rem; line-height: 1.1; font-weight: 600; font-variant-numeric: tabular-nums }
.figure span { color: var(--soft); font-size: .85rem }
.bar { display: flex; height: 6px; border-radius: 3px; overflow: hidden; margin: 1.2rem 0 0; background: var(--line) }
.bar i { display: block } .bar .PROVEN { background: var(--good) } .bar .WAIVED { background: var(--wait) }
.bar .UNPROVEN, .bar .BLOCKED { background: var(--bad) }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 12px }
table { border-collapse: collapse; width: 100% }
th { text-align: left; color: var(--soft); font-weight: 500; position: sticky; top: 0; background: var(--card) }
th, td { padding: .42rem .8rem; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap }
tr:last-child td { border-bottom: 0 } td.wrap { white-space: normal; overflow-wrap: anywhere }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums } td.zero { color: var(--line) }
.PROVEN { color: var(--good) } .WAIVED { color: var(--wait) } .UNPROVEN, .BLOCKED { color: var(--bad) }
.tools { display: flex; flex-wrap: wrap; gap: .5rem; margin: .6rem 0 .8rem }
input { flex: 1 1 16rem; padding: .4rem .8rem; border: 1px solid var(--line); border-radius: 99px; background: var(--card); color: var(--ink) }
details { background: var(--card); border: 1px solid var(--line); border-left: 3px solid var(--bad); border-radius: 8px; padding: .7rem 1rem; margin: .6rem 0 }
summary { cursor: pointer } pre { white-space: pre-wrap; overflow-wrap: anywhere; color: var(--soft); margin: .6rem 0 0 }
footer { margin-top: 4rem; color: var(--soft); font-size: .85rem }
`;

const SCRIPT = `
const root = document.documentElement;
document.getElementById('theme').onclick = () => {
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
};
const rows = [...document.querySelectorAll('#obligations tbody tr')];
const box = document.getElementById('filter');
const chips = [...document.querySelectorAll('.chip')];
let state = '';
const show = () => {
  const words = box.value.toLowerCase().split(' ').filter(Boolean);
  let shown = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word)) || !(state === '' || row.dataset.state === state);
    shown += row.hidden ? 0 : 1;
  }
  document.getElementById('shown').textContent = shown + ' of ' + rows.length;
};
box.oninput = show;
for (const chip of chips) chip.onclick = () => {
  state = chip.dataset.state;
  for (const other of chips) other.setAttribute('aria-pressed', other === chip);
  show();
};
show();
`;

/** The report as one HTML page that loads no other resource. */
export function htmlPage(
  result: Result,
  headline: string,
  responses: ResponseTable,
  keywords: readonly KeywordRow[],
): string {
  const { document, obligations, failures, families, requests, seconds, seed, passed } = result;
  const info = document.json['info'];
  const title = asString(asObject(info)['title']) || 'The service';
  const states = ['PROVEN', 'WAIVED', 'UNPROVEN', 'BLOCKED'] as const;
  const count = (state: string): number =>
    obligations.filter((obligation) => obligation.state === state).length;
  const figures: [string | number, string][] = [
    [`${count('PROVEN')}/${obligations.length}`, 'obligations proven'],
    [count('WAIVED'), 'waived, each with a reason'],
    [count('UNPROVEN') + count('BLOCKED'), 'open'],
    [failures.length, 'failures'],
    [requests, 'requests sent'],
    [`${seconds.toFixed(1)} s`, 'duration'],
  ];
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${escapeHtml(headline)}</title><style>${STYLE}</style></head><body>
<header><div><h1>${escapeHtml(title)} ${passed ? 'keeps its contract' : 'breaks its contract'}</h1>
<p class="lead">Every obligation of the document, tested against the running server. Each request has one fault or none. An
oracle that is independent of the server judges the bytes of each answer.</p></div>
<button id="theme" aria-label="light or dark">light / dark</button></header>
<div class="bar">${states.map((state) => `<i class="${state}" style="flex:${count(state)}"></i>`).join('')}</div>
<div class="figures">${figures.map(([figure, label]) => `<div class="figure"><b>${escapeHtml(figure)}</b><span>${label}</span></div>`).join('')}</div>
${failures.length > 0 ? `<h2>Failures</h2>${failures.slice(0, 200).map(failureBox).join('')}` : ''}
<h2>Responses</h2>
<p class="note">The documented responses, by the number of correct instances with each kind of credentials. A response without an instance is not proven.</p>
${tableOf(responses.columns, responses.rows)}
<h2>Keywords</h2>
<p class="note">Accepted: requests that satisfy the keyword. Rejected: requests that violate only this keyword.</p>
${tableOf(
  ['operation', 'location', 'schema', 'keyword', 'accepted', 'rejected'],
  keywords.map(({ operation, slot, pointer, keyword, accepted, rejected }) => [
    operation,
    slot,
    pointer,
    keyword,
    accepted,
    rejected,
  ]),
)}
<h2>Obligations</h2>
<div class="tools"><input id="filter" type="search" placeholder="filter: createBook int64 violates" aria-label="filter">
${['', ...states].map((state) => `<button class="chip ${state}" data-state="${state}" aria-pressed="${state === ''}">${state || 'all'}</button>`).join('')}
<button id="shown" disabled></button></div>
<div id="obligations" class="scroll"><table><thead><tr><th>state</th><th>operation</th><th>obligation</th><th class="number">passed</th><th class="number">failed</th><th>reason</th></tr></thead><tbody>
${obligations.map(({ state, operation, description, passed: proofs, failed, reason = '' }) => `<tr data-state="${state}"><td class="${state}">${state}</td><td>${escapeHtml(operation)}</td><td class="wrap">${escapeHtml(description)}</td>${cell(proofs)}${cell(failed)}<td class="wrap">${escapeHtml(reason)}</td></tr>`).join('\n')}
</tbody></table></div>
<h2>Families</h2>
${tableOf(['family', 'requests'], [...families])}
<footer>${escapeHtml(headline)}. The seed of the generated requests, ${seed}, is a digest of the document.</footer>
<script>${SCRIPT}</script></body></html>
`;
}

function failureBox(failure: Failure): string {
  const summary = `<code>${escapeHtml(failure.operation)}</code> ${escapeHtml(failure.family)}: ${escapeHtml(failure.title)}`;
  return `<details><summary>${summary}</summary><pre>${escapeHtml(failureLines(failure).join('\n'))}</pre></details>`;
}

function tableOf(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const isNumeric = (column: number): boolean => typeof rows[0]?.[column] === 'number';
  const head = columns.map(
    (name, column) => `<th${isNumeric(column) ? ' class="number"' : ''}>${escapeHtml(name)}</th>`,
  );
  const body = rows.map((row) => `<tr>${row.map(cell).join('')}</tr>`);
  return `<div class="scroll"><table><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}

function cell(value: string | number): string {
  if (typeof value === 'number') return `<td class="number${value === 0 ? ' zero' : ''}">${value}</td>`;
  const state = /^(?:PROVEN|WAIVED|UNPROVEN|BLOCKED)$/.test(value) ? ` class="${value}"` : '';
  return `<td${state}>${escapeHtml(value)}</td>`;
}

const escapeHtml = (raw: string | number): string =>
  String(raw)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
