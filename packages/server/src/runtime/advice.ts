import { type Finding, InvalidContract } from '../contract';

/** What to do about a finding in a service that `contract-first` has laid out: the core knows neither its files nor the command. */
const ADVICE: Readonly<Record<NonNullable<Finding['kind']>, string>> = {
  noHandler: ': run `npx contract-first generate`, which writes a stub, or says which handler to rename',
  noOperation: ': run `npx contract-first generate`, which says what to do with it',
  noStrategy: ': add its verifier to src/auth.ts',
  stub: ': write it in src/handlers/',
  errorResponse: '; src/errors.ts has the errors of this server',
};

/** How to document the error responses of the server that a document lacks. */
export const DOCUMENT_THEM =
  'Add these actions to those of openapi/overlay.yaml, and run `npx contract-first generate`:';

/** Calls `create`, and adds advice to the findings of an `InvalidContract` that it throws. */
export function withAdvice<Given extends unknown[], T>(create: (...given: Given) => T, ...given: Given): T {
  try {
    return create(...given);
  } catch (error) {
    if (!(error instanceof InvalidContract)) throw error;
    throw new InvalidContract(
      error.findings.map((finding) =>
        finding.kind ? { ...finding, message: finding.message + ADVICE[finding.kind] } : finding,
      ),
    );
  }
}
