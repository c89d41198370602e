import { STATES } from '../obligation';
import { html, type Markup } from './html';

/** A heading and a table with a filter. */
export function section(
  id: string,
  name: string,
  note: string,
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): Markup {
  return html`<section id="${id}">
    <h2>${name} <small>${rows.length}</small></h2>
    <p class="note">${note}</p>
    ${rows.length > 8 ? toolbar(id, 'Filter', html``) : ''}${table(
      id,
      name,
      columns,
      rows.map((cells) => ({ cells })),
    )}
  </section>`;
}

/** The tools are hidden unless the script runs. */
export const toolbar = (id: string, placeholder: string, more: Markup): Markup =>
  html`<div class="tools" data-table="${id}-table" hidden>
    <label
      ><span class="name">Filter the rows</span><input type="search" placeholder="${placeholder}" /></label
    >${more}<output aria-live="polite"></output>
  </div>`;

interface Row {
  readonly cells: readonly (string | number)[];
  readonly state?: string;
  readonly operation?: string;
}

export function table(id: string, caption: string, columns: readonly string[], rows: readonly Row[]): Markup {
  const isNumber = (column: number): boolean => typeof rows[0]?.cells[column] === 'number';
  const head = columns.map(
    (name, column) => html`<th scope="col" ${isNumber(column) ? html` class="number"` : ''}>${name}</th>`,
  );
  const body = rows.map(
    ({
      cells,
      state,
      operation,
    }) => html`<tr${state === undefined ? '' : html` data-state="${state}"`}${operation === undefined ? '' : html` data-operation="${operation}"`}>${cells.map((value, column) => cell(value, columns[column] ?? ''))}</tr>
`,
  );
  return html`<div class="panel scroll" id="${id}-table" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption>
        ${caption}
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
}

/** Columns whose values are names of the document. */
const CODE_COLUMNS = ['obligation', 'schema', 'keyword', 'media type'];

function cell(value: string | number, column: string): Markup {
  if (typeof value === 'number')
    return html`<td data-label="${column}" class="number${value === 0 ? ' zero' : ''}">${value}</td>`;
  if ((STATES as readonly string[]).includes(value))
    return html`<td data-label="${column}"><span class="badge ${value}">${value}</span></td>`;
  const kind = CODE_COLUMNS.includes(column) ? html` class="code"` : '';
  return html`<td data-label="${column}" ${kind}>${value}</td>`;
}
