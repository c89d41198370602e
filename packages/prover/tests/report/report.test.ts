import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Result, run } from '../../src/run';
import { correctServer, target } from '../support/simple-server';
import type { Waiver } from '../../src/target';
import { type ContractReport, contractReport } from '../../src/report/contract-report';
import { githubAnnotations } from '../../src/report/github';
import { junitXml } from '../../src/report/junit';
import { htmlPage } from '../../src/report/page';
import { createProgress } from '../../src/report/progress';
import { count } from '../../src/report/summary';
import { formatReport } from '../../src/report/terminal';
import { writeFiles } from '../../src/report/files';
import { keepFolder } from '../../../../scripts/testing/folder';

const folder = keepFolder();

const HOSTILE = `</pre><script src="https://example.org/x.js"></script><img src=x onerror="alert(1)">'&]]>\u0000`;

const WAIVERS: Waiver[] = [
  { obligation: /409/, reason: 'no conflict can occur' },
  { failure: '*| media types | no Content-Type', reason: 'mended in release 3', expires: '2030-01-01' },
  { failure: 'a typo', reason: 'matches nothing', expires: '2030-01-01' },
];

/** A server that accepts numbers beyond the maximum and ignores Content-Type, and answers with markup. */
const hostile = (): Promise<Result> =>
  run(
    target((request, body) => {
      const isBroken = Number(body) > 1_000_000 || request.headers['content-type'] === undefined;
      return isBroken && request.url === '/number' && request.method === 'PUT' && body !== ''
        ? { status: 200, body: HOSTILE, own: true }
        : correctServer(request, body);
    }, WAIVERS),
    { generated: 5, today: new Date('2026-01-01') },
  );

/** The places of a document. */
const locate = (pointer: string): string => `openapi.yaml:${pointer.includes('/schema') ? 10 : 1}:3`;

describe('the reports of a run', () => {
  let result: Result;
  let report: ContractReport;
  beforeAll(async () => {
    result = await hostile();
    report = contractReport(result, locate, new Date('2026-01-01'));
  });

  test('contract.json has a version, the causes with their lines, and the waived failures', () => {
    expect(report).toMatchObject({
      version: 1,
      passed: false,
      verdict: expect.stringMatching(
        /^Numbers breaks its contract: \d+ cases? failed, with \d+ causes?\./,
      ) as string,
      document: { title: 'Numbers', version: '1.0.0' },
      finished: '2026-01-01T00:00:00.000Z',
      waivers: { expired: [], unused: ['a typo (matches nothing, until 2030-01-01)'] },
    });
    const cause = report.causes.find(({ cause: sentence }) => sentence.includes('violates maximum'));
    expect(cause).toMatchObject({
      operations: ['putNumber'],
      line: { file: 'openapi.yaml', line: 10 },
      example: { curl: expect.stringContaining('--data-raw') as string },
    });
    expect(report.waived.map(({ reason }) => reason)).toContain('mended in release 3');
    writeFiles(report, join(folder, 'new'));
    expect(JSON.parse(readFileSync(join(folder, 'new/contract.json'), 'utf8'))).toEqual(report);
  });

  test('junit.xml has each failure and each waived failure, and no raw text of the server', () => {
    const xml = junitXml(report);
    expect(xml).toContain(`<skipped message="mended in release 3">`);
    expect(xml).toMatch(
      /<testcase classname="putNumber" name="constraints: [^"]+maximum[^"]*"><failure message="expected/,
    );
    expect(xml).not.toMatch(/<script|<img|\u0000/);
    const suite = /tests="(\d+)" failures="(\d+)" skipped="(\d+)"/.exec(xml)?.slice(1).map(Number);
    expect(suite).toEqual([/<testcase /g, /<failure /g, /<skipped /g].map((tag) => xml.match(tag)?.length));
  });

  test('index.html has each failure and each waived failure, no markup of the server, and loads nothing', () => {
    const page = htmlPage(report);
    expect(page).toContain('mended in release 3');
    expect(page).toContain('a typo (matches nothing, until 2030-01-01)');
    expect(page).toContain('&lt;script src=&quot;https://example.org/x.js&quot;');
    const markup = page.replace(/<style>[^]*?<\/style>/, '').replaceAll(/<script>[^]*?<\/script>/g, '');
    expect(markup).not.toMatch(/<script|<img|<link|<iframe|\son\w+="|(?:src|href)="?https?:|style="/);
    expect(page).toMatch(
      /default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+' 'sha256-[^']+'/,
    );
    expect(page).toMatch(/<h1>Numbers breaks its contract/);
    const facts = new Set([...page.matchAll(/<dt>([^<]*)<\/dt>/g)].map(([, name]) => name));
    expect([...facts].join(', ')).toBe(
      'Proven, Open, Waived, Failed cases, Causes, Requests, Duration, Operations, Source, Document, Example, Problems',
    );
  });

  test('the annotations of GitHub name the line of the document, and each is one line', () => {
    const lines = githubAnnotations(report);
    const maximum = lines.find((line) => line.includes('violates maximum'));
    expect(maximum).toMatch(
      /^::error file=openapi\.yaml,line=10,title=\d+ cases? failed%3A putNumber::a value was accepted/,
    );
    expect(lines).toContain(
      '::warning title=A waiver matches nothing::a typo (matches nothing, until 2030-01-01)',
    );
    for (const line of lines) expect(line).toMatch(/^::(?:error|warning|notice) [^\r\n]*$/);
    expect(lines.filter((line) => line.startsWith('::error')).length).toBeLessThanOrEqual(10);
  });

  test('the terminal shows causes and not a text for each failure, whatever their number', () => {
    const many = { ...result, failures: Array.from({ length: 1000 }, () => result.failures).flat() };
    const text = formatReport(many);
    expect(text.split('\n').length).toBeLessThan(80);
    expect(text).toContain('a value was accepted that violates maximum');
    expect(text).toMatch(/try {4}curl -i/);
    expect(text).toContain('UNUSED waiver: a typo');
  });
});

describe('the progress', () => {
  const shown = (isTTY: boolean, times: readonly number[]): string[] => {
    const written: string[] = [];
    let time = 0;
    const output = { isTTY, write: (text: string) => written.push(text) };
    const { update, end } = createProgress(output, () => time);
    for (const [index, next] of times.entries()) {
      time = next;
      update({ operation: 'putNumber', family: 'generated', requests: index });
    }
    end();
    return written;
  };

  const line = '2 s, 1 requests, putNumber: generated';
  test.each([
    ['nothing for two seconds, on a terminal', true, [0, 1000, 1999], []],
    ['nothing for two seconds, in a log', false, [0, 1000, 1999], []],
    [
      'one line on a terminal, which is erased',
      true,
      [0, 2000, 2010, 2050],
      [`\r\u001b[K${line}`, '\r\u001b[K'],
    ],
    [
      'a line from time to time in a log',
      false,
      [0, 2000, 3000, 11_000, 12_000],
      [`${line}\n`, '12 s, 4 requests, putNumber: generated\n'],
    ],
  ])('is %s', (_, isTTY, times, want) => {
    expect(shown(isTTY, times)).toEqual(want);
  });
});

test('control characters of a server reach neither a terminal nor the log of a CI', async () => {
  const evil = target((request, body) =>
    body === '1000001'
      ? { status: 200, body: '\u001b[2J\u009b1m\n::error::x\u2028' }
      : correctServer(request, body),
  );
  const result = await run(evil, { generated: 1 });
  const text = formatReport(result);
  expect(text).toContain('\\u001b[2J');
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028]/);
  for (const line of [...text.split('\n'), ...githubAnnotations(contractReport(result))])
    expect(line).not.toMatch(/^\s*::error::x/);
});

test('one case is counted in the singular, and no others', () => {
  expect([0, 1, 2].map((number) => count(number, 'case'))).toEqual(['0 cases', '1 case', '2 cases']);
});
