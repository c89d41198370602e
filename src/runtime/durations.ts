interface Series {
  /** The number of durations within each bound, without those within a smaller one; last those beyond all bounds. */
  readonly counts: number[];
  /** Seconds. */
  sum: number;
}

/**
 * A Prometheus histogram of durations (https://prometheus.io/docs/instrumenting/exposition_formats/). The histogram of the
 * client library builds a text of the labels for each observation. This one builds it once for each observer.
 */
export class Durations {
  /** By the text of their labels. */
  private readonly all = new Map<string, Series>();

  /** @param bounds seconds, the least first */
  constructor(
    private readonly name: string,
    private readonly help: string,
    private readonly bounds: readonly number[],
  ) {}

  /** Creates the function that adds a duration, in milliseconds, to the series with these labels. */
  observer(labels: Readonly<Record<string, string | number>>): (milliseconds: number) => void {
    const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
    const key = pairs.join(',');
    const series = this.all.get(key) ?? { counts: [...this.bounds, Infinity].map(() => 0), sum: 0 };
    this.all.set(key, series);
    return (milliseconds) => {
      const seconds = milliseconds / 1000;
      const within = this.bounds.findIndex((bound) => seconds <= bound);
      const at = within < 0 ? this.bounds.length : within;
      series.counts[at] = (series.counts[at] ?? 0) + 1;
      series.sum += seconds;
    };
  }

  /** In the text format of Prometheus. */
  text(): string {
    const { name, bounds } = this;
    const lines = [`# HELP ${name} ${this.help}`, `# TYPE ${name} histogram`];
    for (const [labels, { counts, sum }] of this.all) {
      let count = 0;
      for (const [at, own] of counts.entries()) {
        count += own;
        lines.push(`${name}_bucket{le="${bounds[at] ?? '+Inf'}",${labels}} ${count}`);
      }
      lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`);
    }
    return `${lines.join('\n')}\n`;
  }
}

/** The escapes of the text format; it has no others. */
const escaped = (value: string): string =>
  value.toWellFormed().replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
