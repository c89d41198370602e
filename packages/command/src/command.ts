/** What every program of the toolchain is made of: its options, its help, its errors and its exit status. */
import { getSystemErrorMessage, parseArgs, stripVTControlCharacters, styleText } from 'node:util';

/** An option. `--json` makes the result the only text on standard output: notes go to standard error. */
export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** What it does: a part of a sentence, with unit, bounds and default. */
  readonly help: string;
  /** The name of the value of a string, such as `FILE`; the only value that a boolean may have, behind a `=`. */
  readonly value?: string;
}

export type Options = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> =
  (O['type'] extends 'string' ? string : boolean) | (O extends { readonly value: string } ? string : never);

export interface Parsed<O extends Options = Options> {
  readonly values: { readonly [Name in keyof O]?: ValueOf<O[Name]> };
  /** Each that the usage has; the ones in brackets may be missing. */
  readonly positionals: readonly string[];
  /** The arguments as they were given. */
  readonly argv: readonly string[];
}

/** The exit status, and what `--json` prints; nothing if the work has printed it. */
export interface Outcome {
  readonly status: number;
  readonly json?: unknown;
}

export type Result = number | Outcome | undefined;

export interface Command<O extends Options = Options> {
  readonly name: string;
  /** The positional arguments in capitals, `[LIKE-THIS]` if one may be missing, then the options: `DOCUMENT [options]`. */
  readonly usage: string;
  /** What it does: a sentence without its full stop. */
  readonly summary: string;
  readonly options: O;
  /** An example of its arguments. */
  readonly example: string;
  /** What else a person must know, below the options. */
  readonly notes?: string;
  /** The status of every error, if 1 is a verdict and nothing else. */
  readonly failed?: 2;
  /**
   * Does the work.
   *
   * @returns the exit status, 0 if it is undefined
   * @throws {UsageError} if the arguments do not fit
   * @throws {Error} with a sentence for a person
   */
  run(parsed: Parsed<O>): Result | Promise<Result>;
}

/** A command was used in a wrong way, or what it works on is not there: a sentence for a person. */
export class UsageError extends Error {
  readonly status = 2;
}

/** The program of all commands. Its name stands before that of each. */
export const PROGRAM = 'contract-first';

/** How a person runs a command. */
export const RUN = `npx ${PROGRAM}`;

/** The options of every command. */
const COMMON: Options = {
  help: { type: 'boolean', short: 'h', help: 'print this help' },
  debug: { type: 'boolean', help: 'print the stack of an error' },
};

/**
 * Runs a command to its end. An error is printed as a sentence: its stack only with `--debug`.
 *
 * @param argv its arguments
 * @returns the exit status: 0 the work is done, 1 a verdict or a failure, 2 wrong arguments, or nothing to work on
 */
export async function execute<O extends Options>(
  command: Command<O>,
  argv: readonly string[],
): Promise<number> {
  const { log } = console;
  const isJson = 'json' in command.options && argv.includes('--json');
  const print = (json: unknown): void => {
    if (isJson) log(JSON.stringify(json, undefined, 2));
  };
  if (isJson) console.log = console.error;
  try {
    const parsed = parse(command, argv);
    if ('help' in parsed.values) {
      log(helpOf(command));
      return 0;
    }
    const result = (await command.run(parsed)) ?? 0;
    if (typeof result === 'number') return result;
    print(result.json);
    return result.status;
  } catch (error) {
    console.error(argv.includes('--debug') ? error : sentenceOf(error, command.name));
    print({ error: stripVTControlCharacters(sentenceOf(error, command.name)) });
    return (error as Partial<UsageError>).status === 2 ? 2 : (command.failed ?? 1);
  } finally {
    console.log = log;
  }
}

/** Whoever reads the output of a program may go, as `head` does: the work goes on, and its status is told. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}

const exampleOf = (name: string, example: string): string => `${RUN} ${name} ${example}`.trimEnd();

/** The positional arguments of a usage. */
const argumentsOf = (usage: string) =>
  usage
    .replace('[options]', '')
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => ({ name: word.replace(/[[\]]/g, ''), optional: word.startsWith('[') }));

function parse<O extends Options>(
  { name, usage, options, example }: Command<O>,
  argv: readonly string[],
): Parsed<O> {
  const all: Options = { ...options, ...COMMON };
  const refused = (sentence: string) =>
    new UsageError(
      `${PROGRAM} ${name}: ${sentence}\nExample: ${exampleOf(name, example)}\n${exampleOf(name, '--help')} lists the options`,
    );
  const { tokens } = parseArgs({ args: [...argv], options: all, strict: false, tokens: true });
  const values: Record<string, string | boolean> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { rawName, value } = token;
    const option = Object.hasOwn(all, token.name) ? all[token.name] : undefined;
    if (!option)
      throw refused(
        unknown(
          'option',
          rawName,
          Object.keys(all).map((one) => `--${one}`),
        ),
      );
    if (option.type === 'boolean' && value !== undefined && value !== option.value)
      throw refused(
        `${rawName} takes no value${option.value === undefined ? '' : ` but ${option.value}`}, got ${JSON.stringify(value)}`,
      );
    // An option behind another one is no value, unless it is given as --name=-value.
    if (option.type === 'string' && (!value?.trim() || (!token.inlineValue && value.startsWith('--'))))
      throw refused(`${rawName} needs a value: ${rawName} ${option.value ?? 'VALUE'}`);
    if (option.type === 'string' && Object.hasOwn(values, token.name))
      throw refused(`${rawName} takes one value, but also got ${JSON.stringify(value)}`);
    values[token.name] = value ?? true;
  }
  if (values['help'] !== true) {
    const expected = argumentsOf(usage);
    const missing = expected.find(({ optional }, position) => !optional && !positionals[position]?.trim());
    if (missing) throw refused(`${missing.name} is missing`);
    const surplus = positionals[expected.length];
    if (surplus !== undefined) throw refused(`unexpected argument ${JSON.stringify(surplus)}`);
  }
  return { values: values as Parsed<O>['values'], positionals, argv };
}

/** A sentence about an unknown word, with the known word that is nearest. */
export function unknown(kind: string, given: string, known: readonly string[]): string {
  const [nearest] = known
    .map((name) => ({ name, distance: distanceBetween(given, name) }))
    .sort((a, b) => a.distance - b.distance);
  const isNear = nearest !== undefined && nearest.distance <= Math.max(2, given.length / 3);
  return `unknown ${kind} ${JSON.stringify(given)}${isNear ? `; did you mean ${nearest.name}?` : ''}`;
}

/** The number of characters to insert, remove or replace (Levenshtein), of texts of at most 50 characters. */
function distanceBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [above, character] of a.slice(0, 50).split('').entries()) {
    const next = [above + 1];
    for (let index = 0; index < b.length; index++)
      next.push(
        Math.min(
          (row[index + 1] ?? 0) + 1,
          (next[index] ?? 0) + 1,
          (row[index] ?? 0) + (b[index] === character ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}

/** A terminal that is narrower shows text beside long options in lines of this length at least. */
const NARROWEST = 20;

/** Rows with two aligned columns. On a terminal the second one goes on below itself. */
export function rowsOf(
  rows: readonly (readonly [left: string, right: string])[],
  most = process.stdout.columns || Infinity,
): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  const lines = new RegExp(`(.{1,${Math.max(NARROWEST, most - width - 4)}}|\\S+)(?: |$)`, 'g');
  return rows.map(([left, right]) => {
    const parts = most === Infinity ? [right] : Array.from(right.matchAll(lines), ([, part = '']) => part);
    return `  ${left.padEnd(width)}  ${parts.join(`\n${' '.repeat(width + 4)}`)}`;
  });
}

export const bold = (text: string): string => styleText('bold', text);

/**
 * The help of a command. Words are bold on a terminal, unless NO_COLOR is set.
 *
 * @param most the characters of a line; by default those of the terminal
 */
export function helpOf({ name, usage, summary, options, example, notes }: Command, most?: number): string {
  const rows = Object.entries({ ...options, ...COMMON }).map(
    ([option, { type, value, help }]) =>
      [
        `--${option}${type === 'string' ? ` ${value ?? 'VALUE'}` : value === undefined ? '' : `[=${value}]`}`,
        help,
      ] as const,
  );
  return [
    bold(`${PROGRAM} ${name} ${usage}`),
    `\n${summary}.\n`,
    bold('Options'),
    ...rowsOf(rows, most),
    `\n${bold('Example')}\n  ${exampleOf(name, example)}`,
    ...(notes === undefined ? [] : [`\n${notes}`]),
  ].join('\n');
}

/** An error of the system, also of its network. */
interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
}

/** The sentence of an error. What no program foresaw has none: only its kind is told. */
export function sentenceOf(error: unknown, command: string): string {
  if (!Error.isError(error)) return faultOf(typeof error, command);
  const { code = '', errno, path, address, port, syscall = '' } = error as SystemError;
  const what = path ?? (port === undefined ? `${PROGRAM} ${command}` : `${address ?? ''}:${port}`);
  if (typeof errno === 'number') return `${what}: ${getSystemErrorMessage(errno)} (${code}, ${syscall})`;
  const isFault =
    code.startsWith('ERR_') || /^(?:Type|Range|Syntax|Reference|Assertion)Error$/.test(error.name);
  return isFault || error.message === '' ? faultOf(error.name, command) : error.message;
}

const faultOf = (kind: string, command: string): string =>
  `${PROGRAM} ${command}: failed with ${kind}; use --debug for the stack`;
