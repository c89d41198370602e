import { X509Certificate } from 'node:crypto';
import { type JsonObject, type Profile, urlTarget } from 'contract-first-prover';
import { execute, type Outcome, type Parsed, UsageError } from '../command';
import { integerOption, readParsed, readWaiversFile, runCommand } from './run-command';
import { CONTRACT, RUN_OPTIONS, URL_OPTIONS } from './options';
import type { Supervision } from './supervise';

/** A document without references to other documents, and a sentence for each thing to know about its reading. */
export interface Source {
  readonly document: object;
  readonly notes?: readonly string[];
  /** The place of a JSON pointer: `openapi.yaml:12:5`. */
  readonly locate?: (pointer: string) => string;
}

/** No timer waits for much longer. */
const DAY_MS = 86_400_000;

/** Reads a document from a file; the prover itself reads no YAML and no references to other files. */
type ReadSource = (file: string) => Source | Promise<Source>;

const OPTIONS = { ...URL_OPTIONS, ...RUN_OPTIONS };

/**
 * The command `contract --url`: tests any server by its URL, prints the result, and writes the report.
 *
 * @returns the exit status
 */
export const main = (
  argv: readonly string[],
  readSource: ReadSource,
  supervision?: Supervision,
): Promise<number> =>
  execute(
    { ...CONTRACT, options: OPTIONS, run: ({ values }) => testUrl(values, readSource, supervision) },
    argv,
  );

/**
 * Tests any server by its URL.
 *
 * @throws {Error} if an option is wrong or the run could not start
 */
export async function testUrl(
  values: Parsed<typeof OPTIONS>['values'],
  readSource: ReadSource,
  supervision?: Supervision,
): Promise<Outcome> {
  const { url, doc, credentials, ca } = values;
  if (url === undefined || doc === undefined) throw new UsageError('expected --url URL and --doc FILE');
  if (ca !== undefined) readParsed(ca, 'certificates in PEM', (text) => new X509Certificate(text));
  const source = await readSource(doc);
  const document = structuredClone(source.document) as JsonObject;
  for (const note of source.notes ?? []) console.log(note);
  const target = urlTarget({
    url,
    document,
    profile: profileOf(values.profile),
    write: values['write-all'] === true ? 'all' : values.write,
    insecure: values.insecure,
    ca,
    credentials: credentials === undefined ? undefined : readParsed(credentials, 'JSON', JSON.parse),
    credentialsFile: credentials,
    requestsPerSecond: integerOption('rate', values.rate, 1, 1_000_000),
    maxRequests: integerOption('max', values.max, 1, 1_000_000_000),
    timeout: integerOption('timeout', values.timeout, 1, DAY_MS),
    bodyLimit: integerOption('body-limit', values['body-limit'], 1, 1_000_000_000),
    refusalSchema: values['error-schema']?.replace(/^#/, ''),
    waivers: values.waivers === undefined ? undefined : readWaiversFile(values.waivers),
  });
  return runCommand(target, values, { runs: 25, locate: source.locate, supervision });
}

/** @throws {UsageError} if there is no such profile */
function profileOf(text = 'document'): Profile {
  if (text === 'document' || text === 'strict') return text;
  throw new UsageError(`expected --profile to be document or strict, got ${text}`);
}
