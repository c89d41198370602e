/** The options of the contract tests. This file loads nothing, so that the help of a command does not load the prover. */

const NUMBER = (help: string, value = 'N') => ({ type: 'string', value, help }) as const;

/** Of each command that runs the prover. */
export const RUN_OPTIONS = {
  runs: NUMBER('generated requests per operation, both valid and invalid'),
  only: { type: 'string', value: 'OPERATIONS', help: 'test only these, separated by commas' },
  seed: NUMBER('the seed of the generated requests (default: a digest of the document)'),
  replay: { type: 'string', value: 'CASE', help: 'resend one generated request, named as in the report' },
  report: {
    type: 'string',
    value: 'FOLDER',
    help: 'the folder for index.html, contract.json and junit.xml (default: reports/contract)',
  },
  github: { type: 'boolean', help: 'annotate lines of the document (default: only in GitHub Actions)' },
  json: { type: 'boolean', help: 'print the report as JSON, the same as contract.json' },
} as const;

/** Of the test of a server by its URL. */
export const URL_OPTIONS = {
  url: {
    type: 'string',
    value: 'URL',
    help: 'the server to test: http://127.0.0.1:8080, https://example.org/base, unix:/run/service.sock',
  },
  doc: { type: 'string', value: 'FILE', help: 'its document' },
  credentials: {
    type: 'string',
    value: 'FILE',
    help: 'JSON, by security scheme: {"scheme": {"valid": "...", "invalid": "..."}}; instead of "valid", "command": "..." or "clientCredentials": {...}',
  },
  write: { type: 'boolean', help: 'also change and delete resources, but only those that the run creates' },
  'write-all': {
    type: 'boolean',
    help: 'change and delete any resource: for a mock or a disposable database',
  },
  profile: {
    type: 'string',
    value: 'NAME',
    help: 'document (default): what the document and the standards require; strict: also what contract-first-server adds to them',
  },
  rate: NUMBER('requests per second (default: 100)'),
  max: NUMBER('requests in total (default: 50000)'),
  timeout: NUMBER('milliseconds to wait for a complete response (default: 10000)', 'MS'),
  'body-limit': NUMBER('the largest request body that the server accepts, to test that limit', 'BYTES'),
  'error-schema': {
    type: 'string',
    value: 'POINTER',
    help: 'the schema of every error body, for the profile strict',
  },
  ca: { type: 'string', value: 'FILE', help: 'CA certificates to trust for https' },
  insecure: { type: 'boolean', help: 'accept any certificate' },
  waivers: {
    type: 'string',
    value: 'FILE',
    help: 'known failures, and obligations that need no proof: a JSON or YAML list of {"failure" or "obligation": "text with *", "reason": "...", "expires": "2026-12-31"}',
  },
  'allow-outside': { type: 'boolean', help: 'allow references to files outside the folder of the document' },
} as const;

/** The command of this package. */
export const CONTRACT = {
  name: 'contract',
  usage: '[options]',
  summary:
    'Run contract tests against the service in the current folder, or against any server with --url and --doc',
  options: {
    serve: {
      type: 'boolean',
      help: 'start the server that the tests use and keep it running, for the curl lines of the report',
    },
    ...RUN_OPTIONS,
    ...URL_OPTIONS,
  },
  example: '--url http://127.0.0.1:8080 --doc path/to/openapi.yaml',
  failed: 2,
  notes:
    'Exit status: 0 nothing failed and nothing is unproven, 1 something is, 2 the run could not start or finish.',
} as const;
