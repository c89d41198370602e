const [WIDTH, BAR, LEFT, RIGHT] = [800, 30, 285, 115];

const STYLE = `
  text { font: 14px system-ui, sans-serif; fill: #1f2328; }
  .head { font-weight: 600; }
  .small, .value { font-size: 12px; fill: #59636e; }
  .bar { fill: #8c959f; } .ours { fill: #1a7f37; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .small, .value { fill: #9198a1; }
    .bar { fill: #6e7681; } .ours { fill: #3fb950; }
  }`;

/** One group of bars under a heading, from `top` down; the longest bar takes the whole width. */
function group(heading, rows, top) {
  const longest = Math.max(...rows.map(({ cpu }) => cpu));
  const bars = rows.map(({ label, cpu, ratio }, i) => {
    const y = top + 20 + i * BAR;
    const width = (cpu / longest) * (WIDTH - LEFT - RIGHT);
    const kind = label.startsWith('ours') ? 'bar ours' : 'bar';
    return `
  <text x="${LEFT - 10}" y="${y + 16}" text-anchor="end">${label}</text>
  <rect class="${kind}" x="${LEFT}" y="${y + 2}" width="${width.toFixed(1)}" height="20" rx="3"/>
  <text class="value" x="${(LEFT + width + 8).toFixed(1)}" y="${y + 16}">${cpu.toFixed(1)} (${ratio.toFixed(2)})</text>`;
  });
  return `
  <text class="head" x="16" y="${top}">${heading}</text>${bars.join('')}`;
}

/** Bars of CPU microseconds a request, as an SVG that suits a light and a dark page. */
export function drawChart({ machine, servers, operations }) {
  const one = servers.map(({ name, ...rest }) => ({ label: name, ...rest }));
  const many = operations.map(({ name, operations: count, ...rest }) => ({
    label: `${name}, ${count}`,
    ...rest,
  }));
  const second = 60 + one.length * BAR + 40;
  const height = second + many.length * BAR + 60;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">
  <style>${STYLE}
  </style>${group('CPU microseconds of the server for one POST /plants (times ours)', one, 30)}${group(
    'The same by the number of operations in the document (times that of one)',
    many,
    second,
  )}
  <text class="small" x="16" y="${height - 16}">${machine}</text>
</svg>
`;
}
