import type { Line } from './lines';

const [WIDTH, BAR, LEFT, RIGHT] = [820, 13, 260, 110];
/** Times bare node:http at which a bar ends that would be longer. */
const LONGEST = 8;

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .head { font-weight: 600; }
  .small { font-size: 11px; fill: #59636e; }
  .ours { fill: #1a7f37; } .bare { fill: #c4cad0; } .fastify { fill: #8c959f; } .README { fill: #57606a; }
  .goal { stroke: #cf222e; stroke-width: 2; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .small { fill: #9198a1; }
    .ours { fill: #3fb950; } .bare { fill: #3d444d; } .fastify { fill: #656c76; } .README { fill: #9198a1; }
    .goal { stroke: #f85149; }
  }`;

/** By name of the server, in order. */
const LABELS = {
  bare: 'bare node:http',
  fastify: 'fastify + openapi-glue',
  README: 'express, as READMEs say',
  ours: 'ours',
};
const NAMES = Object.keys(LABELS);
const x = (times: number): number => LEFT + (Math.min(times, LONGEST) / LONGEST) * (WIDTH - LEFT - RIGHT);

/** A bar for each server, in times of bare node:http, with its microseconds; a stroke where ours is to end. */
function group({ title, figures, goals }: Line, top: number): string {
  const bare = figures['bare']?.value ?? NaN;
  const bars = NAMES.flatMap((name, index) => {
    const value = figures[name]?.value;
    if (value === undefined) return [];
    const y = top + index * BAR;
    const end = x(value / bare);
    const beyond = value / bare > LONGEST ? ' →' : '';
    return [
      `<rect class="${name}" x="${LEFT}" y="${y}" width="${(end - LEFT).toFixed(1)}" height="${BAR - 2}"/>`,
      `<text class="small" x="${(end + 6).toFixed(1)}" y="${y + 10}">${value.toFixed(0)}${beyond}</text>`,
    ];
  });
  const limits = goals
    .map(({ of, limit }) => (limit * (figures[of]?.value ?? NaN)) / bare)
    .filter((at) => at > 0);
  const [y, goal] = [top + (NAMES.length - 1) * BAR, x(Math.min(...limits)).toFixed(1)];
  const stroke = limits.length > 0 ? `<path class="goal" d="M${goal} ${y - 3}v${BAR + 4}"/>` : '';
  return `
  <text x="${LEFT - 10}" y="${top + 2.5 * BAR}" text-anchor="end">${title.replace(/, CPU us$/, '')}</text>
  ${bars.join('\n  ')}${stroke}`;
}

/** The lines that compare us with bare node:http, as an SVG that suits a light and a dark page. */
export function drawChart(lines: readonly Line[], machine: string): string {
  const shown = lines.filter(({ title, figures }) => figures['bare'] && title.endsWith('CPU us'));
  const step = NAMES.length * BAR + 12;
  const height = 84 + shown.length * step;
  const keys = Object.entries(LABELS).map(([name, label], index) => {
    const at = 16 + index * 205;
    return `<rect class="${name}" x="${at}" y="34" width="11" height="11"/><text x="${at + 17}" y="44">${label}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">
  <style>${STYLE}
  </style>
  <text class="head" x="16" y="22">CPU microseconds of the server for one request; a stroke is the goal</text>
  ${keys.join('')}${shown.map((line, index) => group(line, 60 + index * step)).join('')}
  <text class="small" x="16" y="${height - 10}">bars: times of bare node:http; ${machine}</text>
</svg>
`;
}
