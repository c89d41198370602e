import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { InvalidConfig, type Variables } from '../config';
import { type AcceptedSecret, parseSecrets, type Secret, type SecretForm } from './secrets';

/** The secrets of one variable. */
export interface SecretSource<S extends Secret = AcceptedSecret> {
  /** Several secrets are separated by commas. `${variable}_FILE` names a file with one secret a line instead. */
  readonly variable: string;
  readonly form: SecretForm<S>;
  /** The file that the secrets were read from. */
  readonly file: string | undefined;
  /** Undefined: none are configured. */
  readonly secrets: readonly S[] | undefined;
}

/** Milliseconds between two reads of a file. */
const INTERVAL = 500;

/** Reads the secrets of a variable, or of the file that `${variable}_FILE` names. Notes faults in `variables`. */
export function readSecrets<S extends Secret>(
  variables: Variables,
  variable: string,
  form: SecretForm<S>,
): SecretSource<S> {
  const [text, path] = [variables.read(variable), variables.read(`${variable}_FILE`)];
  const file = path === '' ? undefined : path;
  const source = { variable, form, file, secrets: undefined };
  if (file !== undefined && text !== '')
    variables.wrong.push(`${variable} and ${variable}_FILE are both set: unset one of them`);
  try {
    if (file !== undefined) return { ...source, secrets: readSecretsFile(file, source) };
    return text === '' ? source : { ...source, secrets: parseSecrets(variable, form, text.split(',')) };
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    variables.wrong.push(error.message);
    return source;
  }
}

type File<S extends Secret> = Pick<SecretSource<S>, 'variable' | 'form'>;

const parse = <S extends Secret>({ variable, form }: File<S>, text: string): S[] =>
  parseSecrets(`${variable}_FILE`, form, text.split('\n'));

/**
 * Reads secrets from a file, one a line. A last line without a line break may be incomplete: the function accepts it if the
 * file is unchanged after INTERVAL, and blocks the process meanwhile.
 *
 * @throws {InvalidConfig}
 */
function readSecretsFile<S extends Secret>(path: string, file: File<S>): S[] {
  const text = readText(path, file);
  if (isFinished(text)) return parse(file, text);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, INTERVAL);
  if (readText(path, file) === text) return parse(file, text);
  throw new InvalidConfig(`${file.variable}_FILE: the file is still being written`);
}

/** @throws {InvalidConfig} */
function readText(path: string, { variable }: Pick<SecretSource, 'variable'>): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidConfig(`${variable}_FILE: cannot read the file: ${reason}`);
  }
}

/** Whether the last line is complete. */
const isFinished = (text: string) => text.slice(text.lastIndexOf('\n') + 1).trim() === '';

/** Identifies a content by digests only, so that no secret stays in memory. */
const digestOf = (content: readonly Secret[] | InvalidConfig) =>
  hash(
    'sha256',
    content instanceof InvalidConfig
      ? content.message
      : content
          .map(({ digest, client }) => `${digest.toString('hex')} ${client?.scopes.join(' ') ?? ''}`)
          .join('\n'),
  );

/**
 * Calls `onChange` when the content of the file of a source changes, with its secrets or with the error. Does not keep the
 * process alive. Two consecutive reads must find the same content, and it must end with a line break: an incomplete secret
 * is never accepted. To replace the file safely, write another file and rename it.
 *
 * @param source the last read, which may be older than this call. Without a file, nothing happens.
 */
export function watchSecrets<S extends Secret>(
  { file: path, secrets, ...source }: SecretSource<S>,
  onChange: (change: readonly S[] | InvalidConfig) => void,
): void {
  if (path === undefined) return;
  let accepted = digestOf(secrets ?? []);
  let reported = accepted;
  let seen = '';
  const unfinished = `${source.variable}_FILE: the file is incomplete: expected a line break after the last ${source.form.one}`;
  const read = (): S[] | InvalidConfig => {
    try {
      const text = readText(path, source);
      const found = parse(source, text);
      return isFinished(text) || digestOf(found) === accepted ? found : new InvalidConfig(unfinished);
    } catch (error) {
      return error as InvalidConfig;
    }
  };
  const look = () => {
    const content = read();
    const digest = digestOf(content);
    const sight = `${digest} ${statSync(path, { throwIfNoEntry: false })?.mtimeMs}`;
    const stable = sight === seen;
    seen = sight;
    if (!stable || digest === reported) return;
    reported = digest;
    if (!(content instanceof InvalidConfig)) accepted = digest;
    onChange(content);
  };
  // Polls: Kubernetes replaces a secret through a symbolic link in a parent folder, which fs.watch does not report.
  setInterval(look, INTERVAL).unref();
}
