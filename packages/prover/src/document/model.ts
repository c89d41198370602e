import { type Json, type JsonObject, asStrings } from '../json/tree';
import type { Schemas } from './direction';

/** The examples of a parameter or media type. */
export interface Examples {
  readonly examples: readonly Json[];
  /** The examples of its schema, which requests and responses may share. */
  readonly schemaExamples: readonly Json[];
}

/** A parameter with the defaults of its fields (OpenAPI 3.1 section 4.8.12). */
export interface Parameter extends Examples {
  readonly name: string;
  readonly in: 'path' | 'query' | 'querystring' | 'header' | 'cookie';
  readonly required: boolean;
  readonly style: string;
  readonly explode: boolean;
  /** Set if `content` describes the parameter instead of `schema`. */
  readonly mediaType?: string;
  /** Pointer to its schema. */
  readonly schema: string;
}

/** OpenAPI 3.1 section 4.8.14. */
export interface MediaType extends Examples {
  /** As documented; it may be a range. */
  readonly name: string;
  /** The media type of a body that is sent. */
  readonly type: string;
  /** Pointer to its schema, if it has one. */
  readonly schema?: string;
  /** Pointer to the schema of each item of a sequence: `itemSchema` of OpenAPI 3.2, or `x-item-schema`. */
  readonly items?: string;
  /** Whether a handler gets the body while it arrives: `x-stream`. */
  readonly isStream?: true;
}

/** OpenAPI 3.1 section 4.8.17. */
export interface Response {
  /** `200`, `4XX` or `default`. */
  readonly status: string;
  readonly headers: readonly { name: string; required: boolean; schema?: string }[];
  readonly content: readonly MediaType[];
}

/** OpenAPI 3.1 section 4.8.10, with what it inherits from its path item and the document. */
export interface Operation {
  /** Its operationId, else its method and path. */
  readonly id: string;
  /** JSON pointer to it. */
  readonly pointer: string;
  readonly method: string;
  /** The path template after the base path of the server. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly required: boolean; readonly content: readonly MediaType[] };
  /** The largest body, in bytes: `x-body-limit`. */
  readonly bodyLimit?: number;
  readonly responses: readonly Response[];
  /** Alternatives (OR) of schemes that are all required (AND). An empty alternative allows anonymous requests. */
  readonly security: readonly (readonly string[])[];
  /** The scopes or roles that each alternative requires, by scheme. */
  readonly scopes: readonly Readonly<Record<string, readonly string[]>>[];
  /** Why it cannot be tested: a sentence. It has no parameters, body and responses then. */
  readonly untestable?: string;
}

/** Encodes a value as JSON has it; an integer beyond 2^53 is a bigint. */
type Encode = (value: unknown) => Uint8Array;

/**
 * How the bodies of a media type are encoded. With `decode` only values are sent that it returns unchanged, and the report
 * counts the others; without it the codec must carry every value of JSON.
 */
export type Encoder = Encode | { readonly encode: Encode; readonly decode: (bytes: Uint8Array) => unknown };

/** By media type. */
type Encoders = Readonly<Record<string, Encoder>>;

/** What a team adds to OpenAPI: its own formats and media types. */
export interface Extensions {
  /** The pattern of each format: a regular expression that all its values match, and no other. */
  readonly formats?: Readonly<Record<string, string>> | undefined;
  /** By media type, as in the document. */
  readonly encoders?: Encoders | undefined;
}

/** An OpenAPI document, read. */
export interface Document {
  readonly json: JsonObject;
  /** Its schemas as requests and their parameters use them. */
  readonly requests: Schemas;
  readonly responses: Schemas;
  /** Its schemas without annotations that a server may ignore: formats, discriminators, and for the last also directions. */
  readonly lenient: { readonly requests: Schemas; readonly responses: readonly Schemas[] };
  readonly operations: readonly Operation[];
  /** A sentence for each path whose operations cannot be read. */
  readonly unread: readonly string[];
  /** The codecs of the target, by media type as documented. */
  readonly encoders: Encoders;
  readonly schemes: Readonly<Record<string, JsonObject>>;
}

/** A path as it is on the wire: ASCII without spaces (RFC 3986 section 2.1). */
export const encodePath = (path: string): string => path.replace(/[^!-~]+/gu, encodeURIComponent);

/** Whether a path on the wire, without a query, matches a path template of the document. */
export const matchesPath = (document: Document, path: string): boolean =>
  document.operations.some((operation) => {
    const template = encodePath(operation.path).split('/');
    const segments = path.split('/');
    return (
      template.length === segments.length &&
      template.every((part, index) =>
        part.includes('{') ? segments[index] !== '' : part === segments[index],
      )
    );
  });

/** The response that documents a status: the status itself, else its range, else `default`. */
export const responseFor = (operation: Operation, status: number): Response | undefined =>
  [String(status), `${String(status).charAt(0)}XX`, 'default']
    .map((key) => operation.responses.find((response) => response.status === key))
    .find((response) => response !== undefined);

/** Whether the document describes a success of the operation, as OpenAPI 3.1 section 4.8.16 expects. */
export const documentsSuccess = ({ responses }: Operation): boolean =>
  responses.some(({ status }) => /^([23]|default$)/.test(status));

/**
 * The media types, and ranges of them, that a client may request by Accept: those of the only documented success. A 206 is a
 * part of it (RFC 9110 section 15.3.7).
 */
export function negotiableMediaTypes({ responses }: Operation): string[] {
  const [success, ...others] = responses.filter(({ status }) => status.startsWith('2') && status !== '206');
  return others.length > 0 ? [] : (success?.content ?? []).map(({ name }) => name);
}

/** Whether a method changes nothing (RFC 9110 section 9.2.1; the IANA registry of HTTP methods for the last four). */
export const isSafe = (method: string): boolean =>
  ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'REPORT', 'SEARCH'].includes(method);

/** The `required` properties of a schema object. */
export const requiredNames = (schema: JsonObject): string[] => asStrings(schema['required']);
