import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { createMetrics } from 'contract-first-server/tools';

const ROOT = join(__dirname, '../..');
const [RULES, DASHBOARD] = ['prometheus-rules.yaml', 'grafana-dashboard.json'] as const;
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
}
const { groups } = parse(read(`scripts/deploy/${RULES}`)) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(read(`scripts/deploy/${DASHBOARD}`)) as {
  panels: { title: string; targets: { expr: string }[] }[];
};
const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

test('alerts and dashboard ask for metrics that the server has, of one job', async () => {
  const metrics = createMetrics();
  metrics.requests('createPlant', 200)(1);
  const known = new Set(
    [...(await metrics.text()).matchAll(/^# TYPE (\w+) (\w+)/gm)].map(([, name]) => name),
  );
  const selectors = [...rules.map(({ expr }) => expr), ...queries].flatMap((expr) => [
    ...expr.matchAll(/\b([a-z_0-9]+)\{([^}]*)\}/g),
  ]);
  const unknown = selectors.filter(
    ([, name = '']) =>
      name !== 'up' && !known.has(name) && !known.has(name.replace(/_(bucket|sum|count)$/, '')),
  );
  expect(selectors.length).toBeGreaterThan(30);
  expect(unknown).toEqual([]);
  expect(selectors.filter(([, , labels = '']) => !/^job="(plant-store|\$job)"/.test(labels))).toEqual([]);
});

const isInstalled = spawnSync('promtool', ['--version']).status === 0;
(isInstalled ? test : test.skip)(
  'each alert is raised by its series and by no other (if promtool is installed)',
  () => {
    const { status, stdout, stderr } = spawnSync(
      'promtool',
      ['test', 'rules', 'scripts/alerts/rules.test.yaml'],
      {
        cwd: ROOT,
        encoding: 'utf8',
      },
    );
    expect({ status, output: stdout + stderr }).toMatchObject({ status: 0 });
    const tried = read('scripts/alerts/rules.test.yaml');
    expect(rules.filter(({ alert }) => !tried.includes(`ALERTS{alertname="${alert}"`))).toEqual([]);
  },
);
