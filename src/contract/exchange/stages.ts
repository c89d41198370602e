/**
 * The stages of a request, in order. A request ends in the first stage that refuses it: this is the order of refusal. The HTTP
 * server judges the head, the service does the rest. Three stages are hooks, options of `createService`. CONTRIBUTING.md shows
 * this table.
 */
export const STAGES = {
  head: 'request line, header fields, `Host` and framing (400, 501, 505)',
  route: 'path (404), then method (405)',
  authenticate: 'credentials (401, 403)',
  afterAuthentication: 'hook, for a policy such as a rate limit (429)',
  negotiate: '`Accept` (406), then media type, charset and coding of the body (415)',
  receive: 'size of the body (413)',
  validate: 'well-formedness, then schema, of parameters and body (400)',
  beforeHandler: 'hook, for a policy that needs the valid request',
  handle: 'the handler of the service',
  respond: 'the answer is written, judged (500) and sent',
  afterResponse: 'hook, for an observer such as a tracer',
} as const;

/** The name of a stage. */
export type Stage = keyof typeof STAGES;
