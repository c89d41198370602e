import { type Plan, type Row, survey } from '../../../../scripts/growth/survey';

/**
 * The small form of `make growth`: some inputs of every subject. The bounds are far above the noise of a busy machine,
 * and far below the cost of an input with superlinear growth.
 */
const PLAN: Plan = {
  bounds: { ratio: 25, exponent: 1.5 },
  limit: 1_500,
  inputs: 8,
  sizes: [10_000, 100_000],
  brief: true,
};

test('no request costs much more than an ordinary one of its size, and no cost grows faster than the size', async () => {
  const rows: Row[] = [];
  for await (const row of survey(PLAN)) rows.push(row);

  const bad = rows.filter(({ problems }) => problems.length > 0);
  expect(
    bad.map(
      ({ about, direction, worst = '', problems }) =>
        `${about} (${direction}): ${problems.join(', ')}; ${worst}`,
    ),
  ).toEqual([]);
  expect(rows.length).toBeGreaterThan(200);
}, 600_000);
