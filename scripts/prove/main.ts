import {
  integerOption,
  parseOptions,
  readParsed,
  readWaiversFile,
  RUN_OPTIONS,
  RUN_USAGE,
  runCommand,
} from './command';
import type { Profile } from './profile';
import type { Supervision } from './supervise';
import { urlTarget } from './url-target';
import type { JsonObject } from './json/tree';

/** A document without references to other documents, and a sentence for each thing to know about its reading. */
export interface Source {
  readonly document: object;
  readonly notes?: readonly string[];
  /** The place of a JSON pointer: `openapi.yaml:12:5`. */
  readonly locate?: (pointer: string) => string;
}

/** No timer waits for much longer. */
const DAY_MS = 86_400_000;

const USAGE = `contract --url URL --doc FILE [options]

Tests the server at URL against an OpenAPI document.

  --url URL             http://127.0.0.1:8080, https://example.org/base, unix:/run/service.sock
  --doc FILE            the document
  --credentials FILE    JSON: {"scheme": {"valid": "...", "invalid": "..."}}
  --write               also change what the run creates
  --write-all           change everything: for a mock or a throw-away database
  --profile NAME        document (default): what the document and the standards state
                        strict: also what contract-first-server decides beyond them
  --rate N              requests per second (100)
  --max N               requests in all (50000)
  --timeout MS          milliseconds until a response is complete (10000)
  --body-limit BYTES    the largest request body, to test it
  --error-schema PTR    the schema of the body of every refusal, for the profile strict
  --ca FILE             certificates that https trusts
  --insecure            accept any certificate
  --waivers FILE        known failures and obligations that need no proof: a list, in JSON or YAML, of
                        {"failure" or "obligation": "text with *", "reason": "...", "expires": "2026-12-31"}
${RUN_USAGE}`;

const OPTIONS = {
  url: { type: 'string' },
  doc: { type: 'string' },
  credentials: { type: 'string' },
  write: { type: 'boolean' },
  'write-all': { type: 'boolean' },
  profile: { type: 'string' },
  rate: { type: 'string' },
  max: { type: 'string' },
  timeout: { type: 'string' },
  'body-limit': { type: 'string' },
  'error-schema': { type: 'string' },
  ca: { type: 'string' },
  insecure: { type: 'boolean' },
  waivers: { type: 'string' },
  ...RUN_OPTIONS,
  help: { type: 'boolean' },
} as const;

/**
 * The command `contract`: tests any server by its URL, prints the result, and writes the report.
 *
 * @param readSource reads a document from a file; the prover itself reads no YAML and no references to other files
 * @returns the exit status
 */
export async function main(
  argv: readonly string[],
  readSource: (file: string) => Source | Promise<Source>,
  supervision?: Supervision,
): Promise<number> {
  try {
    const values = parseOptions(argv, OPTIONS);
    if (values.help === true) {
      console.log(USAGE);
      return 0;
    }
    const { url, doc, credentials, ca } = values;
    if (url === undefined || doc === undefined) throw new Error(`expected --url and --doc\n\n${USAGE}`);
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
    return await runCommand(target, values, { runs: 25, locate: source.locate, supervision });
  } catch (error) {
    console.error(sentenceOf(error));
    return 2;
  }
}

/** @throws {Error} if there is no such profile */
function profileOf(text = 'document'): Profile {
  if (text === 'document' || text === 'strict' || text === 'house') return text;
  throw new Error(`expected --profile to be document or strict, got ${text}`);
}

/** The message of an error that this program or the system reports, and the name of any other. */
const sentenceOf = (error: unknown): string => {
  const { name = '', message = String(error), code } = error as Partial<NodeJS.ErrnoException>;
  const isFault = code === undefined && /^(?:Type|Range|Syntax|Reference)Error$/.test(name);
  return isFault ? `the run could not start or end: a fault of the prover (${name})` : message;
};
