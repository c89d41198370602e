import { type Obligation, type State, STATES } from '../../src/obligation';
import { type Result, run } from '../../src/run';
import { correctServer, target } from '../support/simple-server';
import { contractReport } from '../../src/report/contract-report';
import { githubAnnotations } from '../../src/report/github';
import { junitXml } from '../../src/report/junit';
import { htmlPage } from '../../src/report/page';
import { placeInWords } from '../../src/report/place';
import { type Facts, summarize } from '../../src/report/summary';
import { formatReport } from '../../src/report/terminal';

/** A sound result, whose ledger the tests replace. */
let sound: Result;
beforeAll(async () => {
  sound = await run(target(correctServer), { generated: 1 });
});

const obligation = (state: State, index: number): Obligation => ({
  key: `op${index % 2} | rule ${index}`,
  operation: `op${index % 2}`,
  kind: 'protocol',
  description: `rule ${index}`,
  passed: state === 'PROVEN' || state === 'STUB' ? 1 : 0,
  failed: 0,
  state,
  ...(state !== 'PROVEN' && { reason: 'a reason' }),
});

/** A run with these states, of which each number is another. */
function factsOf(states: readonly State[], changed: Partial<Facts> = {}): Facts {
  const all = states.flatMap((state) => Array<State>(2 + STATES.indexOf(state)).fill(state));
  return {
    title: 'Numbers',
    obligations: all.map(obligation),
    failures: [],
    causes: 0,
    stubs: states.includes('STUB') ? ['op0', 'op1'] : [],
    unselected: 0,
    requestsLeftOut: 0,
    expiredWaivers: 0,
    stopped: undefined,
    requests: 10,
    seconds: 1,
    ...changed,
  };
}

/** Each set of states. */
const SETS = Array.from({ length: 2 ** STATES.length }, (_, bits) =>
  STATES.filter((_state, index) => (bits >> index) % 2 === 1),
);

/** What a run may have besides the states of its obligations. */
const BESIDES: readonly Partial<Facts>[] = [
  {},
  { failures: [{ operation: 'op0' }], causes: 1 },
  { expiredWaivers: 1 },
  { stopped: 'it was interrupted' },
  { unselected: 3 },
  { requestsLeftOut: 7 },
];

/** Each set of states with each of these. */
const RUNS = SETS.flatMap((states) => BESIDES.map((changed) => ({ states, changed })));

test('everything is proven is said of nothing less', () => {
  for (const { states, changed } of RUNS) {
    const { verdict } = summarize(factsOf(states, changed));
    const isAll = states.join() === 'PROVEN' && Object.keys(changed).length === 0;
    expect([verdict, /everything is proven|keeps its contract/.test(verdict)]).toEqual([verdict, isAll]);
  }
});

test('stubs are named first, failures next, and the number of each state is in the sentence and the headline', () => {
  const STUBS = '2 of 2 operations are stubs, which answer from the document: op0 and op1.';
  const ONLY_STUBS = 'Nothing of Numbers is proven yet: 2 stubs (op0 and op1).';
  for (const { states, changed } of RUNS) {
    const { verdict, headline } = summarize(factsOf(states, changed));
    const isEmpty = !states.includes('PROVEN') && changed.failures === undefined;
    const stubs = isEmpty ? ONLY_STUBS : STUBS;
    expect(verdict.startsWith(stubs)).toBe(states.includes('STUB'));
    expect(headline.startsWith('STUB ')).toBe(states.includes('STUB'));
    const rest = verdict.replace(stubs, '').trimStart();
    expect(rest.startsWith('Numbers breaks its contract')).toBe(changed.failures !== undefined);
    expect(/^Nothing of Numbers is proven|so nothing is proven/.test(verdict)).toBe(isEmpty);
    for (const state of states) {
      const number = 2 + STATES.indexOf(state);
      expect(headline).toMatch(new RegExp(`${state} ${number}\\b`));
      if (!verdict.includes('everything is proven')) expect(rest).toMatch(new RegExp(`\\b${number} are `));
    }
  }
});

test('a run passes if nothing failed, nothing is open, and something is proven, waived or answered by a stub', () => {
  for (const { states, changed } of RUNS) {
    const isOpen = states.some((state) => ['LEFT OUT', 'UNPROVEN', 'BLOCKED'].includes(state));
    const isSomething = states.some((state) => ['PROVEN', 'STUB', 'WAIVED'].includes(state));
    const isFailed = (changed.failures ?? changed.expiredWaivers ?? changed.stopped) !== undefined;
    expect(summarize(factsOf(states, changed)).passed).toBe(isSomething && !isOpen && !isFailed);
  }
});

test.each<[name: string, states: State[], changed: Partial<Facts>, verdict: string]>([
  ['no operation', [], {}, 'Numbers has no operation, so nothing is proven.'],
  ['all proven', ['PROVEN'], {}, 'Numbers keeps its contract: everything is proven.'],
  [
    'all out of reach',
    ['OUT OF REACH'],
    {},
    'Nothing of Numbers is proven. Of 6 obligations, 6 are out of reach of requests.',
  ],
  [
    'stubs only',
    ['STUB'],
    {},
    'Nothing of Numbers is proven yet: 2 stubs (op0 and op1). Of 3 obligations, 3 are kept by stubs only.',
  ],
  ['all blocked', ['BLOCKED'], {}, 'Nothing of Numbers is proven. Of 9 obligations, 9 are blocked.'],
  [
    'an early end',
    ['PROVEN', 'LEFT OUT'],
    { stopped: 'it was interrupted', requestsLeftOut: 1 },
    'No case of Numbers failed. Of 9 obligations, 2 are proven, 7 are left out. Left out: 1 request. The run ended early: it was interrupted.',
  ],
  [
    'one operation only',
    ['PROVEN'],
    { unselected: 1 },
    'No case of Numbers failed. Of 2 obligations, 2 are proven. Not selected: 1 operation of the document.',
  ],
])('the sentence of %s', (_, states, changed, verdict) => {
  expect(summarize(factsOf(states, changed)).verdict).toBe(verdict);
});

test.each([
  ['', ''],
  ['/paths/~1plants~1{id}/parameters/0/schema', '/plants/{id}, parameter 1'],
  [
    '/paths/~1plants/post/requestBody/content/application~1json/schema/properties/name',
    'POST /plants, requestBody, application/json, name',
  ],
  ['/paths/~1plants/get/responses/200/headers/X-Total', 'GET /plants, response 200, header X-Total'],
  [
    '/components/schemas/Plant/allOf/1/properties/tags/items/maxLength',
    'schema Plant, tags, items, maxLength',
  ],
  ['/paths/~1plants/get/parameters', 'GET /plants, parameters'],
])('%s in words', (pointer, words) => {
  expect(placeInWords(pointer)).toBe(words);
});

test('every report has the same sentence and the same figures', () => {
  for (const states of SETS) {
    const facts = factsOf(states);
    const { obligations } = facts;
    const summary = summarize(facts);
    const result: Result = { ...sound, obligations, summary, passed: summary.passed };
    const report = contractReport(result);
    const text = formatReport(result);
    const page = htmlPage(report);
    const [notice] = githubAnnotations(report);
    for (const sentence of [summary.verdict, summary.headline]) {
      for (const shown of [text, page, notice]) expect(shown).toContain(sentence);
      expect([report.verdict, report.headline]).toContain(sentence);
    }
    expect(report.summary).toEqual(summary);
    const isProven = states.includes('PROVEN');
    const badge = summary.passed ? (isProven ? 'good">Passed' : 'wait">Nothing proven') : 'bad">Failed';
    expect(page).toContain(`<span class="badge ${badge}</span>`);
    const proven = obligations.filter(({ state }) => state === 'PROVEN').length;
    expect(page).toContain(`<dt>Proven</dt><dd>${proven}/${obligations.length}</dd>`);
    expect(junitXml(report).match(/<testcase [^>]*\/>/g)?.length ?? 0).toBe(proven);
    // The table of operations has the same figures.
    const inTable = [...text.matchAll(/^op\d +(\d+) of (\d+) +(\d+) +(\d+) +(\d+)$/gm)];
    const shownSum = (column: number): number => inTable.reduce((sum, row) => sum + Number(row[column]), 0);
    const rows = summary.operations.filter(({ open }) => open > 0);
    expect(shownSum(1)).toBe(rows.reduce((sum, row) => sum + row.proven, 0));
    expect(shownSum(2)).toBe(shownSum(1) + shownSum(3) + shownSum(4));
    if (inTable.length === summary.operations.length) expect(shownSum(1)).toBe(proven);
  }
});
