/** The options of the contract tests. This file loads nothing, so that the help of a command does not load the prover. */

const NUMBER = (help: string, value = 'N') => ({ type: 'string', value, help }) as const;

/** Of each command that runs the prover. */
export const RUN_OPTIONS = {
  runs: NUMBER('generated requests for each operation, valid and faulty each'),
  only: { type: 'string', value: 'OPERATIONS', help: 'test these only, separated by commas' },
  seed: NUMBER('the seed of the generated requests (a digest of the document)'),
  replay: { type: 'string', value: 'CASE', help: 'send one generated case again, as the report prints it' },
  report: {
    type: 'string',
    value: 'FOLDER',
    help: 'where to write index.html, contract.json and junit.xml (reports/contract)',
  },
  github: { type: 'boolean', help: 'annotate the lines of the document (default in GitHub Actions)' },
  json: { type: 'boolean', help: 'print the report as JSON, as contract.json has it' },
} as const;

/** Of the test of a server by its URL. */
export const URL_OPTIONS = {
  url: {
    type: 'string',
    value: 'URL',
    help: 'the server: http://127.0.0.1:8080, https://example.org/base, unix:/run/service.sock',
  },
  doc: { type: 'string', value: 'FILE', help: 'its document' },
  credentials: {
    type: 'string',
    value: 'FILE',
    help: 'JSON: {"scheme": {"valid": "...", "invalid": "..."}}',
  },
  write: { type: 'boolean', help: 'also change what the run creates' },
  'write-all': { type: 'boolean', help: 'change everything: for a mock or a throw-away database' },
  profile: {
    type: 'string',
    value: 'NAME',
    help: 'document (default): what the document and the standards state; strict: also what contract-first-server decides beyond them',
  },
  rate: NUMBER('requests per second (100)'),
  max: NUMBER('requests in all (50000)'),
  timeout: NUMBER('milliseconds until a response is complete (10000)', 'MS'),
  'body-limit': NUMBER('the largest request body, to test it', 'BYTES'),
  'error-schema': {
    type: 'string',
    value: 'POINTER',
    help: 'the schema of the body of every refusal, for the profile strict',
  },
  ca: { type: 'string', value: 'FILE', help: 'certificates that https trusts' },
  insecure: { type: 'boolean', help: 'accept any certificate' },
  waivers: {
    type: 'string',
    value: 'FILE',
    help: 'known failures, and obligations that need no proof: JSON or YAML, a list of {"failure" or "obligation": "text with *", "reason": "...", "expires": "2026-12-31"}',
  },
  'allow-outside': { type: 'boolean', help: 'parts of the document may be outside of its folder' },
} as const;

/** The command of this package. */
export const CONTRACT = {
  name: 'contract',
  usage: '[options]',
  summary:
    'Test the service in the current folder against its document, or with --url and --doc any server against its own',
  options: {
    serve: {
      type: 'boolean',
      help: 'start the server of the tests, and wait: for the curl lines of the report',
    },
    ...RUN_OPTIONS,
    ...URL_OPTIONS,
  },
  example: '--url http://127.0.0.1:8080 --doc path/to/openapi.yaml',
  failed: 2,
  notes:
    'Exit status: 0 nothing failed and nothing is open, 1 something failed or is open, 2 the run could not start or end.',
} as const;
