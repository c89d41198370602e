/** Milliseconds after which a step says that it is still at work. */
const LONG_MS = 2_000;

interface Output {
  readonly isTTY?: boolean;
  /** The characters of a line of the terminal. */
  readonly columns?: number;
  write(text: string): unknown;
}

/** Prints the steps of a program: a line for each that is done, with its seconds, and what the program is doing now. */
export class Steps {
  constructor(private readonly output: Output = process.stdout) {}

  /**
   * Does one step.
   *
   * @param doing what it does, while it does it
   * @param work is given a function that says how far it is
   * @param done what it has done: a sentence, or several lines
   */
  async step<T>(
    doing: string,
    work: (progress: (text: string) => void) => T | Promise<T>,
    done: (result: T) => string,
  ): Promise<T> {
    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1000;
    let detail = '';
    const show = () => {
      const line = `${doing} ... ${seconds().toFixed(0)} s${detail}`;
      if (this.output.isTTY) this.output.write(`\r\x1b[K${line.slice(0, (this.output.columns ?? 80) - 1)}`);
    };
    const timer = setInterval(show, 1_000);
    const late = setTimeout(() => {
      if (!this.output.isTTY) this.output.write(`${doing} ...\n`);
    }, LONG_MS);
    show();
    try {
      const result = await work((text) => (detail = `, ${text}`));
      const [first = '', ...more] = done(result).split('\n');
      this.clear();
      this.output.write([`${first} (${seconds().toFixed(1)} s)`, ...more, ''].join('\n'));
      return result;
    } catch (error) {
      this.clear();
      throw error;
    } finally {
      clearInterval(timer);
      clearTimeout(late);
    }
  }

  private clear(): void {
    if (this.output.isTTY) this.output.write('\r\x1b[K');
  }
}
