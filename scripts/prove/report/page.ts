import { createHash } from 'node:crypto';
import type {
  ContractReport,
  ReportedCause,
  ReportedFailure,
  ReportedObligation,
  ReportedRemark,
} from './contract-report';
import { isOpen, type State, STATES } from '../obligation';
import { withoutSource } from '../profile';
import { html, type Markup, trusted } from './html';
import { EARLY_SCRIPT, SCRIPT } from './page-script';
import { STYLE } from './page-style';
import { section, table, toolbar } from './page-tables';
import { keywordRows, responseTable } from './tables';
import { count } from './summary';
import { NOT_REPEATABLE } from './terminal';

/** Further causes are folded. */
const MAX_CAUSES = 25;

/** More failures than these are in `contract.json` only. */
const MAX_FAILURES = 500;

/** The report as one HTML page that loads no other resource. */
export function htmlPage(report: ContractReport): string {
  const { document, verdict, headline, passed, causes, failures, obligations, seed } = report;
  const title = `${document.title || 'The service'}: contract`;
  const { columns, rows } = responseTable(report);
  const keywords = keywordRows(report);
  const isFailed = failures.length > 0 || !passed;
  const sections: [id: string, name: string, content: Markup | undefined][] = [
    ['causes', 'Causes', causesSection(causes, 'causes', 'Causes', 'bad')],
    ['warnings', 'Warnings', causesSection(report.warnings, 'warnings', 'Warnings', 'wait')],
    ['operations', 'Operations', operationsSection(report)],
    ['waivers', 'Waivers', waiversSection(report)],
    ['left-out', 'Left out', leftOutSection(report)],
    ['document', 'Document', remarksSection(report.remarks)],
    ['obligations', 'Obligations', obligationsSection(obligations)],
    [
      'responses',
      'Responses',
      section(
        'responses',
        'Responses',
        'The documented responses, by the number of correct instances with each kind of credentials. A response without an instance is not proven.',
        columns,
        rows,
      ),
    ],
    [
      'keywords',
      'Keywords',
      section(
        'keywords',
        'Keywords',
        'Accepted: requests that satisfy the keyword. Rejected: requests that violate only this keyword.',
        ['operation', 'location', 'schema', 'keyword', 'accepted', 'rejected'],
        keywords.map((row) => [
          row.operation,
          row.slot,
          row.pointer,
          row.keyword,
          row.accepted,
          row.rejected,
        ]),
      ),
    ],
    ['failures', 'Failures', failuresSection(failures)],
    [
      'requests',
      'Requests',
      section(
        'requests',
        'Requests',
        'The requests of each family of cases.',
        ['family', 'requests'],
        Object.entries(report.families),
      ),
    ],
  ];
  const present = sections.filter(([, , content]) => content !== undefined);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src '${hash(STYLE)}'; script-src '${hash(EARLY_SCRIPT)}' '${hash(SCRIPT)}'; base-uri 'none'; form-action 'none'"
        />
        <title>${title}</title>
        ${trusted(`<style>${STYLE}</style><script>${EARLY_SCRIPT}</script>`)}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the result</a>
        <div class="top">
          <div>
            <b>${document.title || 'The service'}</b>
            <nav aria-label="Sections">
              ${present.map(([id, name]) => html`<a href="#${id}">${name}</a>`)}
            </nav>
            <button id="theme" type="button" hidden>Dark</button>
          </div>
        </div>
        <main id="main">
          <div class="hero">
            <span class="badge ${isFailed ? 'bad' : 'good'}">${isFailed ? 'Failed' : 'Passed'}</span>
            <h1>${verdict}</h1>
            <p>
              ${[document.version && `Version ${document.version} of the document.`, `Tested on ${report.finished.slice(0, 16).replace('T', ' at ')} UTC.`, 'Each request has one fault or none. A validator that is independent of the server judges each answer.'].filter(Boolean).join(' ')}
            </p>
          </div>
          ${figures(report)} ${present.map(([, , content]) => content)}
          <footer>${headline}. Seed of the generated requests: ${seed}.</footer>
        </main>
        ${trusted(`<script>${SCRIPT}</script>`)}
      </body>
    </html> `.text;
}

const hash = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

function figures({ summary, failures, causes, requests, seconds }: ContractReport): Markup {
  const { states, obligations } = summary;
  const isOptional = (state: State): boolean => state !== 'PROVEN' && state !== 'WAIVED' && !isOpen(state);
  const open = STATES.filter(isOpen).reduce((sum, state) => sum + states[state], 0);
  const shown: [label: string, figure: string | number, isBad?: boolean][] = [
    ...(states.STUB > 0 ? [['Stubs', states.STUB] satisfies [string, number]] : []),
    ['Proven', `${states.PROVEN}/${obligations}`],
    ['Open', open, open > 0],
    ['Waived', states.WAIVED],
    ...STATES.filter((state) => isOptional(state) && state !== 'STUB' && states[state] > 0).map(
      (state): [string, number] => [sentenceCase(state), states[state]],
    ),
    ['Failed cases', failures.length, failures.length > 0],
    ['Causes', causes.length, causes.length > 0],
    ['Requests', requests],
    ['Duration', `${seconds.toFixed(1)} s`],
  ];
  let x = 0;
  const bars = STATES.map((state) => {
    const width = (100 * states[state]) / Math.max(1, obligations);
    x += width;
    return html`<rect class="${state}" x="${x - width}" width="${width}" height="1" />`;
  });
  const described = STATES.map((state) => `${states[state]} ${state.toLowerCase()}`).join(', ');
  return html`<dl class="figures">
      ${shown.map(([label, figure, isBad]) => html`<div><dt>${label}</dt><dd${isBad ? html` class="red"` : ''}>${figure}</dd></div>`)}
    </dl>
    <svg
      class="bar"
      viewBox="0 0 100 1"
      preserveAspectRatio="none"
      role="img"
      aria-label="Obligations: ${described}"
    >
      ${bars}
    </svg>`;
}

/** Causes of failures, or of warnings, which the standards leave to the server. */
function causesSection(
  causes: readonly ReportedCause[],
  id: string,
  name: string,
  level: 'bad' | 'wait',
): Markup | undefined {
  if (causes.length === 0) return undefined;
  const note =
    level === 'bad'
      ? 'Failures by cause, the most frequent first. Each command repeats one.'
      : 'The standards leave these to the server, though they recommend others. They do not fail the run.';
  const [shown, rest] = [causes.slice(0, MAX_CAUSES), causes.slice(MAX_CAUSES)];
  return html`<section id="${id}">
    <h2>${name} <small>${causes.length}</small></h2>
    <p class="note">${note}</p>
    ${shown.map((cause) => causeCard(cause, level))}
    ${
      rest.length === 0
        ? ''
        : html`<details>
            <summary>${count(rest.length, 'more cause')}</summary>
            ${rest.map((cause) => causeCard(cause, level))}
          </details>`
    }
  </section>`;
}

function causeCard(
  { cause, cases, operations, rules, source, pointer, line, example, isRepeatable }: ReportedCause,
  level: 'bad' | 'wait',
): Markup {
  const facts: [name: string, value: Markup | string][] = [
    ['Operations', listed(operations)],
    ...(rules.length > 0 ? [['Rules', listed(rules)] satisfies [string, string]] : []),
    ...(source === undefined ? [] : [['Source', source] satisfies [string, string]]),
    ['Document', line ? html`<code>${line.file}:${line.line}</code> ${pointer}` : pointer],
    ['Example', `${example.family}: ${example.title}`],
    ['Problems', html`${example.problems.map((problem) => html`<div>${withoutSource(problem)}</div>`)}`],
    ...(isRepeatable === false ? [['Note', NOT_REPEATABLE] satisfies [string, string]] : []),
    ...(example.replay === undefined
      ? []
      : [['Repeat', html`<code>--replay '${example.replay}'</code>`] satisfies [string, Markup]]),
  ];
  return html`<article class="cause ${level}-edge">
    <header>
      <span class="badge ${level}">${count(cases, 'case')}</span>
      <h3>${cause.charAt(0).toUpperCase() + cause.slice(1)}</h3>
    </header>
    <dl class="facts">
      ${facts.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
    ${command(example)}
  </article>`;
}

function leftOutSection({ leftOut, leftBehind }: ContractReport): Markup | undefined {
  if (leftOut.length + leftBehind.length === 0) return undefined;
  return html`<section id="left-out">
    <h2>Left out</h2>
    <p class="note">Requests that a budget left out, and what the run created and could not remove.</p>
    <ul class="panel list">
      ${leftOut.slice(0, MAX_FAILURES).map(({ operation, family, requests, reason }) => html`<li>${operation}: ${count(requests, 'request')}, ${family}: ${reason}</li>`)}
      ${leftBehind.map((sentence) => html`<li>${sentence}</li>`)}
    </ul>
  </section>`;
}

function remarksSection(remarks: readonly ReportedRemark[]): Markup | undefined {
  if (remarks.length === 0) return undefined;
  return html`<section id="document">
    <h2>Document <small>${remarks.length}</small></h2>
    <p class="note">Remarks about the document itself. They do not fail the run.</p>
    <ul class="panel list">
      ${remarks
        .slice(0, MAX_FAILURES)
        .map(
          ({ text, pointer = '', line }) =>
            html`<li>
              ${text} ${line ? html`<code>${line.file}:${line.line}</code>` : html`<code>${pointer}</code>`}
            </li>`,
        )}
    </ul>
  </section>`;
}

const listed = (names: readonly string[]): string =>
  names.length <= 6 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`;

const command = ({ curl }: ReportedFailure): Markup | string =>
  curl === ''
    ? ''
    : html`<div class="command">
        <pre tabindex="0" aria-label="Command">${curl}</pre>
        <button type="button">Copy</button>
      </div>`;

function operationsSection({ summary }: ContractReport): Markup {
  return section(
    'operations',
    'Operations',
    'The obligations of each operation, and its failed cases. Apart: what does not fail the run, and what a stub proves.',
    ['operation', 'obligations', 'proven', 'open', 'apart', 'failures'],
    summary.operations.map((row) => [
      row.operation,
      row.obligations,
      row.proven,
      row.open,
      row.apart,
      row.failures,
    ]),
  );
}

function waiversSection({ waivers, waived, obligations }: ContractReport): Markup | undefined {
  const excused = obligations.filter(({ state }) => state === 'WAIVED');
  if (waivers.expired.length + waivers.unused.length + waived.length + excused.length === 0) return undefined;
  return html`<section id="waivers">
    <h2>Waivers</h2>
    <p class="note">What the run excuses, and why. An expired waiver fails the run.</p>
    <ul class="panel list">
      ${waivers.expired.map((waiver) => html`<li><span class="badge bad">Expired</span> ${waiver}</li>`)}
      ${waivers.unused.map((waiver) => html`<li><span class="badge wait">Matches nothing</span> ${waiver}</li>`)}
      ${waived.slice(0, MAX_FAILURES).map(
        (failure) =>
          html`<li>
            <span class="badge wait">Waived failure</span> ${failure.operation}, ${failure.family}:
            ${failure.title}. <b>${failure.reason}</b>
            <details>
              <summary>Problems and command</summary>
              ${failure.problems.map((problem) => html`<div>${problem}</div>`)}${command(failure)}
            </details>
          </li>`,
      )}
      ${excused.map(({ key, reason = '' }) => html`<li><span class="badge wait">Waived obligation</span> ${key}. <b>${reason}</b></li>`)}
    </ul>
  </section>`;
}

function obligationsSection(obligations: readonly ReportedObligation[]): Markup {
  const operations = [...new Set(obligations.map(({ operation }) => operation))];
  const present = STATES.filter((state) => obligations.some((one) => one.state === state));
  const tools = html`${
    operations.length > 1
      ? html`<label
          ><span class="name">Operation</span
          ><select>
            <option value="">All operations</option>
            ${operations.map((name) => html`<option>${name}</option>`)}
          </select></label
        >`
      : ''
  }
  ${['', ...present].map((state) => html`<button type="button" data-state="${state}" aria-pressed="${String(state === '')}">${state === '' ? 'All' : sentenceCase(state)}</button>`)}`;
  const order = STATES.toReversed();
  const rows = obligations.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  return html`<section id="obligations">
    <h2>Obligations <small>${obligations.length}</small></h2>
    <p class="note">
      Each rule of the document that the server must keep, with the cases for it and against it.
    </p>
    ${toolbar('obligations', 'Filter: createBook maximum violates', tools)}
    ${table(
      'obligations',
      'Obligations',
      ['state', 'operation', 'obligation', 'passed', 'failed', 'reason'],
      rows.map(({ state, operation, description, passed, failed, reason = '' }) => ({
        state,
        operation,
        cells: [state, operation, description, passed, failed, reason],
      })),
    )}
  </section>`;
}

function failuresSection(failures: readonly ReportedFailure[]): Markup | undefined {
  if (failures.length === 0) return undefined;
  const hidden = failures.length - MAX_FAILURES;
  return html`<section id="failures">
    <h2>Failures <small>${failures.length}</small></h2>
    <p class="note">
      Each failed case.${hidden > 0 ? ` The first ${MAX_FAILURES}; contract.json has all.` : ''}
    </p>
    <ul class="panel list">
      ${failures.slice(0, MAX_FAILURES).map(
        (failure) =>
          html`<li>
            <details>
              <summary><b>${failure.operation}</b> ${failure.family}: ${failure.title}</summary>
              ${failure.problems.map((problem) => html`<div>${problem}</div>`)}${command(failure)}
            </details>
          </li>`,
      )}
    </ul>
  </section>`;
}

const sentenceCase = (text: string): string => text.charAt(0) + text.slice(1).toLowerCase();
