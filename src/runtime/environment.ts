/** Everything that is wrong with the environment, one sentence a line. */
export class InvalidConfig extends Error {
  override name = 'InvalidConfig';
}

/** The environment variables of a service. Collects everything that is wrong with them. */
export class Variables {
  /** One sentence for each fault. */
  readonly wrong: string[] = [];

  constructor(private readonly environment: NodeJS.ProcessEnv) {}

  /** The text of a variable; empty if it is unset or blank. */
  read(name: string): string {
    return this.environment[name]?.trim() ?? '';
  }

  /** Reads an integer. Notes a fault if the text is not one, or not within the bounds. */
  integer(name: string, fallback: number, least: number, most: number): number {
    const text = this.read(name);
    if (text === '') return fallback;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= least && value <= most) return value;
    this.expected(name, `an integer from ${least} to ${most}`);
    return fallback;
  }

  /** Notes a fault. Pass `got` if the text of the variable can contain a secret. */
  expected(name: string, what: string, got = JSON.stringify(this.read(name))): void {
    this.wrong.push(`${name}: expected ${what}, got ${got}`);
  }
}

/**
 * Reads a configuration from environment variables.
 *
 * @param read reads each variable by the methods of `Variables`, and notes faults by `expected`
 * @throws {InvalidConfig} with all faults
 */
export function readEnvironment<Config>(
  environment: NodeJS.ProcessEnv,
  read: (variables: Variables) => Config,
): Config {
  const variables = new Variables(environment);
  const config = read(variables);
  if (variables.wrong.length > 0) throw new InvalidConfig(variables.wrong.join('\n'));
  return config;
}
