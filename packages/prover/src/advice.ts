/**
 * What a person can do about a finding. `advice.test.ts` follows each advice, and sees the finding go away.
 *
 * The source is the place of a target's scenarios, own refusals and waivers: `tests/contract/service.ts`.
 */
export const ADVICE = {
  // A valid request that is refused
  allowOwnRefusal: (name: string, operation: string, source: string) =>
    `this is the service's own refusal "${name}": if a valid request may get it, add ${operation} to ownRefusals.${name}.operations in ${source}`,
  holdExamples: (name: string, source: string) =>
    `this is the service's own refusal "${name}", which the minimal request must not get: make the service accept it, with rows in the store of ${source} or with examples in the document`,
  refuseOtherwise: () =>
    'if the service rejects it because of its state, respond with another status or code than for invalid requests (409 is usual), or waive the failure in a file (--waivers FILE)',

  // An operation that is not tested
  allowWrites: () => 'its requests may change something: they are sent with --write',
  allowCreation: () => 'the service does not have what it names: with --write the run creates it',
  documentResource: () =>
    'it would change a resource that the run did not create: add examples of the parameters in its path, or document the operation that creates it',
  renewCredentials: () => 'check that the `valid` credentials are current, and that they allow this',
  documentExample: () =>
    'add examples that the service accepts to the parameters and the body in the document, or document the operation that creates what it needs',
  addCredentials: (schemes: readonly string[]) =>
    `it takes credentials: add {${credentialsOf(schemes)}} (--credentials FILE)`,
  addTargetCredentials: (scheme: string) =>
    `expected credentials for the security scheme ${scheme}, got none: add {${credentialsOf([scheme])}} to the credentials`,
  addExample: (names: string) =>
    `the document has no example for path ${names}, so a generated value was sent: add one that the service has`,
  holdResource: (named: string) =>
    `the service must have the resource that the document's examples name: path ${named}`,

  // An obligation without a proof
  stateLimit: (isUrl: boolean) =>
    `the limit is unknown: state it (${isUrl ? '--body-limit BYTES' : '`bodyLimit` of the target'})`,
  testInProcess: () =>
    'requests do not show the input of a handler: test in the process of the service (`received` of the target)',
  causeInProcess: () =>
    'no request caused this response: test in the process of the service (`situations` or `scenarios` of the target)',
  addScopes: (isUrl: boolean, source: string) =>
    `no credentials lack the scopes: add some (\`insufficient\` of the credentials${isUrl ? ')' : `), or a waiver to ${source}`}`,
  addScenario: (source: string) => `no request caused this response: add a scenario or a waiver to ${source}`,
  addAlternative: (schemes: readonly string[], isUrl: boolean) =>
    `the credentials of this alternative are missing: add {${credentialsOf(schemes)}}${isUrl ? ' (--credentials FILE)' : ' to `credentials`'}`,
  waive: (source: string) => `no request tests it: add a waiver to ${source}`,
  waiveValid: (keyword: string, source: string) =>
    `the search for a valid value to which ${keyword} applies gave up after 140 draws: add an example to the document, or a waiver to ${source}`,
  removeKeyword: (keyword: string, slot: string, source: string) =>
    `the search for a value that violates ${keyword} and that ${slot} can carry gave up: it tries values next to the bound, and strings of at most 100,000 characters. Remove the keyword if others already exclude such values, or add a waiver to ${source}`,

  // A failure of the server
  readItsLog: () =>
    'the cause is in the log of the server, which is another process: look there, by the X-Request-Id of the response if it has one',

  // A waiver
  renewWaiver: (waiver: string) =>
    `EXPIRED waiver: ${waiver}. Fix the cause and remove it, or set another date.`,
  removeWaiver: (waiver: string) => `UNUSED waiver: ${waiver} matches nothing. Remove it.`,
} as const;

/** The members of a file of credentials. */
const credentialsOf = (schemes: readonly string[]): string =>
  schemes.map((name) => `${JSON.stringify(name)}: {"valid": "...", "invalid": "..."}`).join(', ');
