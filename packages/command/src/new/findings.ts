/** What `npm run check` and `npm run test` say of a new service: the rules that fail, the most frequent first. */
import { RUN } from '../command';
import { nameInProject } from '../paths';

/** One failure of a rule, with the place to look at. */
export interface Finding {
  readonly rule: string;
  /** The file, and the line if it is known. */
  readonly place: string;
  readonly message: string;
  /** How often it fails in this way. */
  readonly count: number;
  /** The command that shows it again, or that repairs it. */
  readonly next: string;
}

/** What `contract-first check --json` prints, or `test --json`. */
export interface Checks {
  readonly passed: boolean;
  readonly checks: readonly { readonly name: string; readonly passed: boolean; readonly output?: string }[];
}

/** What is read of contract.json. */
export interface Report {
  readonly headline: string;
  readonly causes: readonly {
    readonly cases: number;
    readonly operations: readonly string[];
    readonly rules: readonly string[];
    readonly cause: string;
  }[];
  readonly obligations: readonly {
    readonly key: string;
    readonly state: string;
    /** The number of cases that disproved it. */
    readonly failed: number;
    readonly reason?: string;
  }[];
  readonly failures: readonly { readonly operation: string }[];
  /** Requests that were not sent. */
  readonly leftOut: readonly Readonly<Record<'operation' | 'family' | 'reason', string>>[];
  /** Why the run ended early. */
  readonly stopped?: string;
}

/** A line of the compiler: `src/app.ts(3,7): error TS2322: Type ...`. */
const TYPE_ERROR = /^(\S+?)\((\d+),\d+\): error (TS\d+): (.*)$/;
/** A line of ESLint, below that of its file: `  3:7  error  'a' is never used  no-unused-vars`. */
const LINT_ERROR = /^\s+(\d+):\d+\s+(?:error|warning)\s+(.*?)(?:\s{2,}(\S+))?$/;
/** A line of Prettier: `[warn] src/app.ts`. */
const UNFORMATTED = /^\[warn\] (\S+\.\w+)$/;

/** The tests that failed, of what Jest prints, with the first line that it says below each. */
const failedTests = (output: string): Pick<Finding, 'place' | 'message'>[] =>
  output
    .split(/^(?=FAIL |PASS )/m)
    .filter((suite) => suite.startsWith('FAIL '))
    .flatMap((suite) => {
      const [head = '', ...tests] = suite.split(/^ {2}● .*\n/m);
      const [, place = ''] = head.split(/\s/);
      return tests.map((said) => ({ place, message: said.trim().split('\n')[0] ?? '' }));
    });

/** What the checks have found, each with its place. */
export function findingsOf({ checks }: Checks): Finding[] {
  return checks
    .filter(({ passed }) => !passed)
    .flatMap(({ name, output = '' }): Finding[] => {
      const next =
        name === 'format' ? 'npx prettier --write .' : `${RUN} ${name === 'test' ? 'test' : 'check'}`;
      const found: Finding[] = [];
      let file = '';
      for (const line of output.split('\n')) {
        if (/^\/|^[A-Z]:\\/.test(line)) file = nameInProject(line.trim());
        const [, typed = '', at = '', rule = '', message = ''] = TYPE_ERROR.exec(line) ?? [];
        const [, row, said = '', linted = 'eslint'] = LINT_ERROR.exec(line) ?? [];
        const [, unformatted] = UNFORMATTED.exec(line) ?? [];
        if (rule !== '') found.push({ rule, place: `${typed}:${at}`, message, count: 1, next });
        else if (row !== undefined && file !== '')
          found.push({ rule: linted, place: `${file}:${row}`, message: said, count: 1, next });
        else if (unformatted !== undefined)
          found.push({ rule: 'prettier', place: unformatted, message: 'not formatted', count: 1, next });
      }
      found.push(...failedTests(output).map((one) => ({ ...one, rule: name, count: 1, next })));
      const [first = `${name} failed`] = output.split('\n').filter((line) => line.trim() !== '');
      return found.length > 0
        ? found
        : [{ rule: name, place: 'package.json', message: first, count: 1, next }];
    });
}

/** What the contract tests have found: the rules of the document that cases disproved, and those that none proved. */
export function findingsIn({ causes, obligations, stopped }: Report): Finding[] {
  const found = (rule: string, message: string, count: number): Finding => ({
    ...{ rule, message, count },
    place: 'reports/contract/index.html',
    next: `${RUN} contract`,
  });
  return [
    ...causes.map(({ cases, operations, rules, cause }) =>
      found(rules[0] ?? 'contract', `${operations[0] ?? ''}: ${cause}`, cases),
    ),
    ...obligations
      .filter(({ state, failed }) => /^(UNPROVEN|BLOCKED)$/.test(state) && failed === 0)
      .map(({ key, state, reason = '' }) => found(`${state} rules`, `${key}: ${reason}`, 1)),
    ...(stopped === undefined ? [] : [found('contract', stopped, 1)]),
  ];
}

/** At most so many characters of a message are printed: a request may be long. */
const LONGEST = 200;

/** The three rules to look at first, each with one of its places and what to do next. */
export function firstRules(findings: readonly Finding[]): string {
  const rules = [...Map.groupBy(findings, ({ rule }) => rule)].map(([rule, of]) => ({
    rule,
    count: of.reduce((sum, { count }) => sum + count, 0),
    first: of[0],
  }));
  const lines = rules
    .toSorted((a, b) => b.count - a.count)
    .slice(0, 3)
    .map(({ rule, count, first }, i) => {
      const message = first?.message ?? '';
      const said = message.length > LONGEST ? `${message.slice(0, LONGEST)}...` : message;
      const times = count === 1 ? 'once' : `${count} times`;
      return `\n  ${i + 1}. ${rule} (${times}), at ${first?.place}: ${said}\n     next: ${first?.next}`;
    });
  const more = rules.length > 3 ? `\n  and ${rules.length - 3} more rules` : '';
  return `look at these rules first:${lines.join('')}${more}`;
}
