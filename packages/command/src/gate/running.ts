/** Milliseconds. What takes less time needs no line about it. */
const LONG_MS = 2_000;
/** Milliseconds between two lines of a log, which nobody can erase, and between two updates of a line on a terminal. */
const [LOG_MS, TERMINAL_MS] = [10_000, 1_000];

interface Output {
  readonly isTTY?: boolean;
  /** The characters of a line of the terminal. */
  readonly columns?: number;
  write(text: string): unknown;
}

/**
 * Shows which checks are running once that takes longer than two seconds: a line that changes on a terminal, else a line from
 * time to time.
 *
 * @param shared whether the checks write to the terminal themselves
 * @returns `clear` makes room for a line of another, `end` ends it
 */
export function showRunning(
  names: ReadonlySet<string>,
  shared: boolean,
  output: Output = process.stderr,
): { readonly clear: () => void; readonly end: () => void } {
  const began = Date.now();
  const changes = output.isTTY === true && !shared;
  const clear = () => {
    if (changes) output.write('\r\u001b[K');
  };
  const show = () => {
    if (names.size === 0) return;
    const text = `running ${[...names].join(', ')}: ${Math.round((Date.now() - began) / 1000)} s`;
    output.write(changes ? `\r\u001b[K${text.slice(0, (output.columns ?? 80) - 1)}` : `${text}\n`);
  };
  let timer = setTimeout(() => {
    show();
    if (!shared) timer = setInterval(show, changes ? TERMINAL_MS : LOG_MS);
  }, LONG_MS);
  return {
    clear,
    end() {
      clearTimeout(timer);
      clear();
    },
  };
}
