import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOpen, STATES } from '../obligation';
import type { ContractReport } from './contract-report';
import { html, type Markup, trusted } from './html';
import { sentenceCase } from './page-parts';
import { EARLY_SCRIPT, SCRIPT } from './page-script';
import { sectionsOf } from './page-sections';

const STYLE = readFileSync(join(__dirname, 'page.css'), 'utf8');

/** The report as one HTML page that loads no other resource. */
export function htmlPage(report: ContractReport): string {
  const { document, verdict, headline, passed, failures, seed } = report;
  const service = document.title || 'The service';
  const isFailed = failures.length > 0 || !passed;
  const isProven = report.summary.states.PROVEN > 0;
  const [level, result] = isFailed
    ? ['bad', 'Failed']
    : isProven
      ? ['good', 'Passed']
      : ['wait', 'Nothing proven'];
  const sections = sectionsOf(report);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src '${hash(STYLE)}'; script-src '${hash(EARLY_SCRIPT)}' '${hash(SCRIPT)}'; base-uri 'none'; form-action 'none'"
        />
        <title>${service}: contract</title>
        ${trusted(`<style>${STYLE}</style><script>${EARLY_SCRIPT}</script>`)}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the result</a>
        <header class="top">
          <div>
            <b>${service}</b>
            <nav aria-label="Sections">
              ${sections.map(({ id, name }) => html`<a href="#${id}">${name}</a>`)}
            </nav>
            <button id="theme" type="button" hidden>Dark</button>
          </div>
        </header>
        <main id="main">
          <div class="hero">
            <span class="badge ${level}">${result}</span>
            <h1>${verdict}</h1>
            <p>
              ${document.version && `Version ${document.version} of the document. `}Tested on
              ${report.finished.slice(0, 16).replace('T', ' at ')} UTC. Each request has one fault or none. A
              validator that is independent of the server judges each answer.
            </p>
          </div>
          ${figures(report)} ${sections.map(({ content }) => content)}
          <footer>${headline}. Seed of the generated requests: ${seed}.</footer>
        </main>
        ${trusted(`<script>${SCRIPT}</script>`)}
      </body>
    </html> `.text;
}

const hash = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

function figures({ summary, failures, causes, requests, seconds }: ContractReport): Markup {
  const { states, obligations } = summary;
  const open = STATES.filter(isOpen).reduce((sum, state) => sum + states[state], 0);
  const others = (['WARNED', 'OUT OF REACH'] as const).filter((state) => states[state] > 0);
  const shown: [label: string, figure: string | number, isBad?: boolean][] = [
    ['Proven', `${states.PROVEN}/${obligations}`],
    ['Open', open, open > 0],
    ['Waived', states.WAIVED],
    ...others.map((state): [string, number] => [sentenceCase(state), states[state]]),
    ['Failed cases', failures.length, failures.length > 0],
    ['Causes', causes.length, causes.length > 0],
    ['Requests', requests],
    ['Duration', `${seconds.toFixed(1)} s`],
  ];
  if (states.STUB > 0) shown.unshift(['Kept by stubs', states.STUB]);
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
