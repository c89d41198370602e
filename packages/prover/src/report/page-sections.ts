import { STATES } from '../obligation';
import { withoutSource } from '../profile';
import type { ContractReport, Line, ReportedCause, ReportedObligation } from './contract-report';
import { html, type Markup } from './html';
import {
  command,
  details,
  fold,
  listSection,
  section,
  type Section,
  sentenceCase,
  tableSection,
} from './page-parts';
import { count } from './summary';
import { placeInWords } from './place';
import { NOT_REPEATABLE } from './terminal';

/** The sections of the page, in order. Most of those without entries are left out. */
export function sectionsOf(report: ContractReport): Section[] {
  const { causes, warnings, summary, remarks, failures, leftOut, leftBehind, families } = report;
  const sections = [
    causesSection(
      'Causes',
      'Failures by cause, the most frequent first. Each command repeats one.',
      causes,
      'bad',
    ),
    causesSection(
      'Warnings',
      'The standards leave these to the server, though they recommend others. They do not fail the run.',
      warnings,
      'wait',
    ),
    tableSection(
      'Operations',
      'The obligations of each operation, and its failed cases. Excused: what does not fail the run, and what only a stub keeps.',
      ['operation', 'obligations', 'proven', 'open', 'excused', 'failures'],
      summary.operations.map((one) => [
        ...[one.operation, one.obligations, one.proven],
        ...[one.open, one.apart, one.failures],
      ]),
    ),
    listSection(
      'Waivers',
      'What the run excuses, and why. An expired waiver fails the run.',
      waiverEntries(report),
    ),
    listSection(
      'Left out',
      'Requests that a budget left out, and what the run created and could not remove.',
      [
        ...leftBehind,
        ...leftOut.map(
          ({ operation, family, requests, reason }) =>
            `${operation}: ${count(requests, 'request')}, ${family}: ${reason}`,
        ),
      ].map((sentence) => html`${sentence}`),
    ),
    listSection(
      'Document',
      'Remarks about the document itself. They do not fail the run.',
      remarks.map(({ text, pointer = '', line }) => html`${text} ${place(pointer, line)}`),
      remarks.length,
    ),
    obligationsSection(report),
    responsesSection(report),
    listSection(
      'Failures',
      'Each failed case.',
      failures.map((one) => details(html`<b>${one.operation}</b> ${one.family}: ${one.title}`, one)),
      failures.length,
    ),
    tableSection(
      'Requests',
      'The requests of each family of cases.',
      ['family', 'requests'],
      Object.entries(families),
    ),
  ];
  return sections.filter((one) => one !== undefined);
}

/** Further causes are folded. */
const MAX_CAUSES = 25;

/** Causes of failures, or of warnings, which the standards leave to the server. */
function causesSection(
  name: string,
  note: string,
  causes: readonly ReportedCause[],
  level: 'bad' | 'wait',
): Section | undefined {
  if (causes.length === 0) return undefined;
  const cards = causes.map((cause) => causeCard(cause, level));
  const rest = cards.splice(MAX_CAUSES);
  if (rest.length > 0)
    cards.push(
      html`<details>
        <summary>${count(rest.length, 'more cause')}</summary>
        ${rest}
      </details>`,
    );
  return section(name, note, cards, causes.length);
}

function causeCard(
  { cause, cases, operations, rules, source, pointer, line, logged, example, isRepeatable }: ReportedCause,
  level: 'bad' | 'wait',
): Markup {
  const facts: [name: string, value: Markup | string | undefined][] = [
    ['Operations', listed(operations)],
    ['Rules', listed(rules) || undefined],
    ['Source', source],
    ['Document', place(pointer, line)],
    ['Example', `${example.family}: ${example.title}`],
    ['Problems', html`${example.problems.map((problem) => html`<div>${withoutSource(problem)}</div>`)}`],
    ['Logged', logged && html`<pre><code>${logged}</code></pre>`],
    ['Note', isRepeatable === false ? NOT_REPEATABLE : undefined],
    ['Repeat', example.replay && html`<code>--replay '${example.replay}'</code>`],
  ];
  const shown = facts.filter(([, value]) => value !== undefined);
  return html`<article class="cause ${level}-edge">
    <header>
      <span class="badge ${level}">${count(cases, 'case')}</span>
      <h3>${cause.charAt(0).toUpperCase() + cause.slice(1)}</h3>
    </header>
    ${fold('Details', [
      html`<dl class="facts">
        ${shown.map(
          ([name, value]) =>
            html`<dt>${name}</dt>
              <dd>${value}</dd>`,
        )}
      </dl>`,
      html`${command(example)}`,
    ])}
  </article>`;
}

/** In words first, for people; then the line, if it is known, and the pointer. */
const place = (pointer: string, line?: Line): Markup =>
  html`${placeInWords(pointer)} <code>${line ? `${line.file}:${line.line}` : ''} ${pointer}</code>`;

const listed = (names: readonly string[]): string =>
  names.length <= 6 ? names.join(', ') : `${names.slice(0, 5).join(', ')} and ${names.length - 5} more`;

function waiverEntries({ waivers, waived, obligations }: ContractReport): Markup[] {
  const badge = (level: 'bad' | 'wait', text: string): Markup =>
    html`<span class="badge ${level}">${text}</span>`;
  const excused = obligations.filter(({ state }) => state === 'WAIVED');
  return [
    ...waivers.expired.map((waiver) => html`${badge('bad', 'Expired')} ${waiver}`),
    ...waivers.unused.map((waiver) => html`${badge('wait', 'Matches nothing')} ${waiver}`),
    ...excused.map(
      ({ key, reason = '' }) => html`${badge('wait', 'Waived obligation')} ${key}. <b>${reason}</b>`,
    ),
    ...waived.map((failure) => {
      const { operation, family, title, reason } = failure;
      const sentence = html`${operation}, ${family}: ${title}. <b>${reason}</b>`;
      return html`${badge('wait', 'Waived failure')} ${sentence} ${details('Problems and command', failure)}`;
    }),
  ];
}

function obligationsSection({ obligations }: ContractReport): Section {
  const operations = [...new Set(obligations.map(({ operation }) => operation))];
  const present = STATES.filter((state) => obligations.some((one) => one.state === state));
  const select = html`<label
    ><span class="name">Operation</span
    ><select>
      <option value="">All operations</option>
      ${operations.map((name) => html`<option>${name}</option>`)}
    </select></label
  >`;
  const buttons = ['', ...present].map((state) => {
    const label = state === '' ? 'All' : sentenceCase(state);
    return html`<button type="button" data-state="${state}" aria-pressed="${String(state === '')}">
      ${label}
    </button>`;
  });
  const order = STATES.toReversed();
  return tableSection(
    'Obligations',
    'Each rule of the document that the server must keep, with the cases for it and against it.',
    ['state', 'operation', 'obligation', 'passed', 'failed', 'reason'],
    obligations
      .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
      .map((one) => [one.state, one.operation, inWords(one), one.passed, one.failed, one.reason ?? '']),
    html`${operations.length > 1 ? select : ''}${buttons}`,
  );
}

/** What an obligation is about; of a constraint, its place in words, and then the pointer to its schema. */
function inWords({ description, slot = '', pointer, keyword = '', side }: ReportedObligation) {
  if (pointer === undefined) return description;
  // The operation and the slot say already where the schema is.
  const inside = placeInWords(pointer.replace(/^\/paths\/.*\/schema(?=\/|$)/, ''));
  return html`${slot}${inside && `, ${inside}`}: ${keyword} ${side} <small>${pointer}</small>`;
}

/** The documented responses, by the number of correct instances with each kind of credentials. */
function responsesSection({ obligations, observations }: ContractReport): Section {
  const kinds = [...new Set(observations.map(({ credentials }) => credentials))];
  const rows = obligations
    .filter(({ kind }) => kind === 'response')
    .map(({ operation, description, state }) => {
      const [, status = '', media = ''] = description.split(' | ');
      const seen = observations.filter(
        (one) => one.operation === operation && one.status === status && one.media === media,
      );
      const counts = kinds.map((kind) => seen.find(({ credentials }) => credentials === kind)?.count ?? 0);
      return [operation, status, media, state, ...counts];
    });
  return tableSection(
    'Responses',
    'The documented responses, by the number of correct instances with each kind of credentials. A response without an instance is not proven.',
    ['operation', 'status', 'media type', 'state', ...kinds.map((kind) => `${kind} credentials`)],
    rows,
  );
}
