import { STATES } from '../obligation';
import type { ReportedFailure } from './contract-report';
import { html, type Markup } from './html';

/** A part of the page with a heading, which its head links. */
export interface Section {
  readonly id: string;
  readonly name: string;
  readonly content: Markup;
}

/** @param size the number beside the heading */
export function section(
  name: string,
  note: string,
  content: Markup | readonly Markup[],
  size?: number,
): Section {
  const id = name.toLowerCase().replaceAll(' ', '-');
  const number = size === undefined ? '' : html`<small>${size}</small>`;
  const markup = html`<section id="${id}">
    <h2>${name} ${number}</h2>
    <p class="note">${note}</p>
    ${content}
  </section>`;
  return { id, name, content: markup };
}

/** Longer lists and tables have a filter, and are folded on a phone. */
const LONG = 8;
/** Longer ones are folded everywhere. */
const VERY_LONG = 150;
/** More rows of a table than these are in `contract.json` only. */
const MAX_ROWS = 250;

/** What the script folds on a phone. Elsewhere it is open, and its summary is hidden, unless it is very long. */
export const fold = (summary: string, content: Markup | readonly Markup[], isLong = false): Markup =>
  html`<details class="fold${isLong ? ' long' : ''}" ${isLong ? '' : 'open'}>
    <summary>${summary}</summary>
    ${content}
  </details>`;

const foldLong = (content: Markup | readonly Markup[], size: number) =>
  size > LONG ? fold(`All ${size}`, content, size > VERY_LONG) : content;

/** More entries of a list than these are in `contract.json` only. */
const MAX_ENTRIES = 500;

/** A section with a list; none without entries. */
export function listSection(
  name: string,
  note: string,
  entries: readonly Markup[],
  size?: number,
): Section | undefined {
  if (entries.length === 0) return undefined;
  const shown = entries.slice(0, MAX_ENTRIES);
  if (entries.length > MAX_ENTRIES)
    shown.push(html`${entries.length - MAX_ENTRIES} more are in contract.json.`);
  const items = shown.map((entry) => html`<li>${entry}</li>`);
  const list = html`<ul class="panel list">
    ${items}
  </ul>`;
  return section(name, note, foldLong(list, entries.length), size);
}

/** What is shown of a failure when it is unfolded. */
export const details = (summary: Markup | string, failure: ReportedFailure): Markup =>
  html`<details>
    <summary>${summary}</summary>
    ${failure.problems.map((problem) => html`<div>${problem}</div>`)}${command(failure)}
  </details>`;

export const command = ({ curl }: ReportedFailure): Markup | string =>
  curl === ''
    ? ''
    : html`<div class="command">
        <pre tabindex="0" aria-label="Command">${curl}</pre>
        <button type="button">Copy</button>
      </div>`;

/**
 * A section with a table, which has a filter if it is long.
 *
 * @param tools further filters: buttons select the first column, a list selects the second
 */
export function tableSection(
  name: string,
  note: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
  tools?: Markup,
): Section {
  const head = columns.map((column, index) => {
    const kind = typeof rows[0]?.[index] === 'number' ? html` class="number"` : '';
    return html`<th scope="col" ${kind}>${column}</th>`;
  });
  const body = rows.slice(0, MAX_ROWS).map(
    (cells) =>
      html`<tr>
        ${cells.map((value, index) => cell(value, columns[index] ?? ''))}
      </tr>`,
  );
  const rest = rows.length - body.length;
  // The tools are hidden unless the script runs.
  const toolbar = html`<div class="tools" hidden>
    <label><span class="name">Filter the rows</span><input type="search" placeholder="Filter" /></label
    >${tools}<output aria-live="polite"></output>
  </div>`;
  const table = html`<div class="panel scroll" tabindex="0" role="region" aria-label="${name}">
    <table>
      <caption>
        ${name}
      </caption>
      <thead>
        <tr>
          ${head}
        </tr>
      </thead>
      <tbody>
        ${body}
      </tbody>
    </table>
  </div>`;
  const more = rest > 0 ? html`<p class="note">The other ${rest} are in contract.json.</p>` : html``;
  const content = tools || rows.length > LONG ? [toolbar, table, more] : table;
  return section(name, note, foldLong(content, rows.length), rows.length);
}

/** Columns whose values are names of the document. */
const CODE_COLUMNS = ['obligation', 'media type'];

type Value = string | number | Markup;

function cell(value: Value, column: string): Markup {
  if (typeof value === 'number')
    return html`<td data-label="${column}" class="number${value === 0 ? ' zero' : ''}">${value}</td>`;
  if (typeof value === 'string' && (STATES as readonly string[]).includes(value))
    return html`<td data-label="${column}"><span class="badge ${value}">${value}</span></td>`;
  const kind = CODE_COLUMNS.includes(column) ? html` class="code"` : '';
  return html`<td data-label="${column}" ${kind}>${value}</td>`;
}

export const sentenceCase = (text: string): string => text.charAt(0) + text.slice(1).toLowerCase();
