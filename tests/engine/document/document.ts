import { type Json, type JsonObject, asStrings } from '../json/json';
import type { Schemas } from './direction';

export interface Examples {
  readonly examples: readonly Json[];
  /** Those of its schema, which may be one of both requests and responses. */
  readonly schemaExamples: readonly Json[];
}

/** A parameter as OpenAPI 3.1 section 4.8.12 describes it, its defaults filled in. */
export interface Parameter extends Examples {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  readonly style: string;
  readonly explode: boolean;
  /** Set where the parameter is described by `content` instead of `schema`. */
  readonly mediaType?: string;
  /** Pointer of its schema. */
  readonly schema: string;
}

export interface MediaType extends Examples {
  readonly name: string;
  /** Pointer of its schema; absent where the document gives none. */
  readonly schema?: string;
}

export interface Response {
  /** `200`, `4XX` or `default`. */
  readonly status: string;
  readonly headers: readonly { name: string; required: boolean; schema?: string }[];
  readonly content: readonly MediaType[];
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** The path template, base path of the server included. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly required: boolean; readonly content: readonly MediaType[] };
  readonly responses: readonly Response[];
  /** Alternatives (OR) of schemes that must all hold (AND); an empty alternative admits everybody. */
  readonly security: readonly (readonly string[])[];
  /** By alternative: the scopes (or roles) that it demands, by scheme. */
  readonly scopes: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface Document {
  readonly json: JsonObject;
  /** What it says of requests, their parameters included. */
  readonly requests: Schemas;
  readonly responses: Schemas;
  readonly operations: readonly Operation[];
  readonly schemes: Readonly<Record<string, JsonObject>>;
}

/** Whether a path on the wire (no query) is one that the document describes, segment by segment. */
export const matchesTemplate = (document: Document, path: string): boolean =>
  document.operations.some((operation) => {
    const template = operation.path.split('/');
    const segments = path.split('/');
    return (
      template.length === segments.length &&
      template.every((part, index) =>
        part.includes('{') ? segments[index] !== '' : part === segments[index],
      )
    );
  });

/** The response that speaks for a status: itself, else its range, else the default. */
export const responseFor = (operation: Operation, status: number): Response | undefined =>
  [String(status), `${String(status).charAt(0)}XX`, 'default']
    .map((key) => operation.responses.find((response) => response.status === key))
    .find((response) => response !== undefined);

/** The media types among which a client may choose: those of the one success, unless it has ranges alone. */
export function negotiableMediaTypes({ responses }: Operation): string[] {
  const [success, ...others] = responses.filter(({ status }) => status.startsWith('2'));
  const names = (success?.content ?? []).map(({ name }) => name).filter((name) => !name.includes('*'));
  return others.length > 0 ? [] : names;
}

export const requiredNames = (schema: JsonObject): string[] => asStrings(schema['required']);
