import type { IncomingHttpHeaders } from 'node:http';
import type { OpenApiDocument } from './document';
import type { Operation, ParameterPlace } from './operations';

/** The parts of a request that carry parameters, as they came over the wire. */
export interface RawParameters {
  /** What stands for each template of the path, percent-encoded. */
  readonly path: ReadonlyMap<string, string>;
  /** Behind the question mark; empty if there is none. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
}

/** The parameters of a request by place and name; those absent are left out, as is a place without parameters. */
export type ParameterValues = Partial<Record<ParameterPlace, Record<string, unknown>>>;

/**
 * Reads the parameters of a request. Whether they conform is for the validator: a text becomes a number or a boolean
 * only where its schema has that type and the text is exactly one.
 *
 * @throws {MalformedParameter} when a text is not of its parameter's style
 */
export type ReadParameters = (raw: RawParameters) => ParameterValues;

/** Its message names the parameter and what is wrong: `query/limit is given more than once`. */
export class MalformedParameter extends Error {
  override name = 'MalformedParameter';
}

/** Compiles the reader for an operation's parameters; what cannot be read becomes a finding of the document. */
export function compileParameters(document: OpenApiDocument, operation: Operation): ReadParameters {
  for (const { name } of operation.parameters)
    document.find(operation.pointer, `the parameter ${name} is not served`);
  return ({ query }) => {
    if (query !== '') throw new MalformedParameter('query is not in the document');
    return {};
  };
}
