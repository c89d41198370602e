/**
 * The changes between two versions of a published contract, and whether each one breaks a client.
 *
 * No npm library does this for OpenAPI 3.1: openapi-diff supports 3.0 and follows references only in part;
 * @useoptic/openapi-utilities compares, but the rules that judge the changes are discontinued; api-smart-diff classifies
 * keywords without regard to whether a schema is read in a request or in a response, which decides the result; oasdiff
 * is a Go program. This module uses the document reader of src/contract.
 */
import {
  joinPointer,
  Codecs,
  type Direction,
  type JsonObject,
  type MediaTypeObject,
  OpenApiDocument,
  type Operation,
  type Parameter,
  readOperations,
  type ResponseObject,
} from '../../src/contract';
import { readExtensions } from '../publish/extensions';
import { SchemaComparison, type ReportChange } from './schema-changes';

export interface Change {
  /** JSON pointer into the later document; for a removed part, into the earlier one. */
  readonly pointer: string;
  readonly message: string;
  readonly breaking: boolean;
}

/** Every change that a client can notice, breaking ones first. */
export function compareDocuments(was: JsonObject, is: JsonObject): Change[] {
  const comparison = new Comparison(new OpenApiDocument(was), new OpenApiDocument(is));
  return comparison.run().sort((a, b) => Number(b.breaking) - Number(a.breaking));
}

/** The place and the message of a change. */
export const changeText = ({ pointer, message }: Change): string => `#${pointer}: ${message}`;

/** A change as one line of text. */
export const changeLine = (change: Change): string =>
  `${change.breaking ? 'breaking' : '        '}  ${changeText(change)}`;

/** The operations whose operationId changed: the earlier and the later one, at the same method and path. */
export function renamedOperations(was: JsonObject, is: JsonObject): Map<string, string> {
  const now = byRoute(new OpenApiDocument(is));
  const ids = new Set([...now.values()].map(({ operationId }) => operationId));
  const pairs = [...byRoute(new OpenApiDocument(was))].map(
    ([route, { operationId }]) => [operationId, now.get(route)?.operationId] as const,
  );
  return new Map(
    pairs.flatMap(([old, later]) =>
      later === undefined || later === old || ids.has(old) ? [] : [[later, old] as const],
    ),
  );
}

class Comparison {
  private readonly changes = new Map<string, Change>();
  private readonly requests: SchemaComparison;
  private readonly responses: SchemaComparison;
  private readonly codecs = new Codecs(readExtensions().codecs);

  constructor(
    private readonly before: OpenApiDocument,
    private readonly after: OpenApiDocument,
  ) {
    const schemas = (direction: Direction) =>
      new SchemaComparison(before, after, direction, (pointer, message, breaking) => {
        this.report(pointer, `in ${direction}s: ${message}`, breaking);
      });
    this.requests = schemas('request');
    this.responses = schemas('response');
  }

  private readonly report: ReportChange = (pointer, message, breaking) => {
    const key = `${pointer} ${message}`;
    // One change of type can admit both less and more. The entry is breaking if either is.
    this.changes.set(key, {
      pointer,
      message,
      breaking: breaking || this.changes.get(key)?.breaking === true,
    });
  };

  run(): Change[] {
    const [old, now] = [byRoute(this.before), byRoute(this.after)];
    for (const [route, operation] of old) {
      const counterpart = now.get(route);
      if (counterpart) this.compareOperation(operation, counterpart);
      else this.report(operation.pointer, `${nameOf(route, operation)} is gone`, true);
    }
    for (const [route, operation] of now) {
      if (!old.has(route)) this.report(operation.pointer, `${nameOf(route, operation)} is new`, false);
    }
    return [...this.changes.values()];
  }

  private compareOperation(was: Operation, is: Operation): void {
    if (was.operationId !== is.operationId) {
      this.report(
        joinPointer(is.pointer, 'operationId'),
        `was ${was.operationId}, is ${is.operationId}`,
        false,
      );
    }
    this.compareSecurity(was, is);
    this.compareParameters(was, is);
    this.compareRequestBody(was, is);
    for (const [status, response] of was.responses) {
      const counterpart = responseFor(is, status);
      const pointer = joinPointer(was.pointer, 'responses', status);
      if (counterpart)
        this.compareResponse(response, counterpart, joinPointer(is.pointer, 'responses', status));
      else this.report(pointer, `the status ${status} is gone`, true);
    }
    for (const [status, response] of is.responses) {
      if (was.responses.has(status)) continue;
      const pointer = joinPointer(is.pointer, 'responses', status);
      const covered = responseFor(was, status);
      if (covered) this.compareResponse(covered, response, pointer);
      this.report(pointer, `the status ${status} is new`, false);
    }
  }

  /** A client that met one alternative before must still meet one. */
  private compareSecurity(was: Operation, is: Operation): void {
    const demands = (document: OpenApiDocument, { security }: Operation) =>
      (security.length > 0 ? security : [[]]).map(
        (alternative) =>
          new Set(
            alternative.flatMap(({ scheme, scopes }) => {
              const credentials = credentialsOf(document, scheme);
              return [credentials, ...scopes.map((scope) => `${credentials} with the scope ${scope}`)];
            }),
          ),
      );
    const [old, now] = [demands(this.before, was), demands(this.after, is)];
    const pointer = this.after.at(joinPointer(is.pointer, 'security'))
      ? joinPointer(is.pointer, 'security')
      : '/security';
    const unmet = (have: readonly Set<string>[], want: readonly Set<string>[]) =>
      have.filter((held) => !want.some((demanded) => [...demanded].every((one) => held.has(one))));
    const name = (set: Set<string>) => [...set].join(' and ') || 'no credentials';
    const operation = `${is.method} ${is.paths[0] ?? ''}`;
    for (const set of unmet(old, now))
      this.report(pointer, `${operation}: ${name(set)} no longer suffice`, true);
    for (const set of unmet(now, old)) this.report(pointer, `${operation}: ${name(set)} suffice now`, false);
  }

  private compareParameters(was: Operation, is: Operation): void {
    const now = new Map(is.parameters.map((parameter) => [keyOf(is, parameter), parameter]));
    const title = ({ in: place, name }: Parameter) => `the ${place} parameter ${name}`;
    for (const parameter of was.parameters) {
      const key = keyOf(was, parameter);
      const counterpart = now.get(key);
      now.delete(key);
      // A server of this kind refuses an unknown query parameter.
      if (!counterpart) this.report(was.pointer, `${title(parameter)} is gone`, parameter.in === 'query');
      else
        this.compareParameter(
          parameter,
          counterpart,
          this.requests,
          is.pointer,
          title(counterpart),
          'request',
        );
    }
    for (const parameter of now.values()) {
      const suffix = parameter.required ? 'new and required' : 'new';
      this.report(is.pointer, `${title(parameter)} is ${suffix}`, parameter.required);
    }
  }

  private compareParameter(
    was: Parameter,
    is: Parameter,
    schemas: SchemaComparison,
    owner: string,
    title: string,
    direction: Direction,
  ): void {
    if (was.required !== is.required) {
      const breaking = is.required === (direction === 'request');
      this.report(owner, `${title} is ${is.required ? 'required now' : 'no longer required'}`, breaking);
    }
    const style = ({ json, style, explode }: Parameter) =>
      json ? 'JSON' : `${style}${explode ? ', exploded' : ''}`;
    if (style(was) !== style(is)) this.report(owner, `${title} was ${style(was)}, is ${style(is)}`, true);
    schemas.compare([was.schemaPointer ?? []].flat(), [is.schemaPointer ?? []].flat(), owner);
  }

  private compareRequestBody(
    { requestBody: was, ...old }: Operation,
    { requestBody: is, pointer }: Operation,
  ) {
    const place = joinPointer(pointer, 'requestBody');
    if (!was || !is) {
      if (was) this.report(joinPointer(old.pointer, 'requestBody'), 'the request body is gone', true);
      if (is)
        this.report(place, `a request body is ${is.required ? 'required' : 'admitted'} now`, is.required);
      return;
    }
    if (was.required !== is.required) {
      this.report(place, `the body is ${is.required ? 'required now' : 'no longer required'}`, is.required);
    }
    this.compareContent(was.content, is.content, this.requests, place);
  }

  private compareResponse(was: ResponseObject, is: ResponseObject, pointer: string): void {
    const now = new Map(is.headers.map((header) => [header.name.toLowerCase(), header]));
    for (const header of was.headers) {
      const counterpart = now.get(header.name.toLowerCase());
      const title = `the header ${header.name}`;
      if (!counterpart) this.report(pointer, `${title} is gone`, true);
      else this.compareParameter(header, counterpart, this.responses, pointer, title, 'response');
    }
    this.compareContent(was.content, is.content, this.responses, pointer);
  }

  private compareContent(
    was: readonly MediaTypeObject[],
    is: readonly MediaTypeObject[],
    schemas: SchemaComparison,
    pointer: string,
  ): void {
    const at = (key: string) => joinPointer(pointer, 'content', key);
    const before = this.codecs.coded(this.before, was);
    const after = this.codecs.coded(this.after, is);
    for (const { key, type, schema } of was) {
      const counterpart = this.codecs.cover(after, type);
      if (!counterpart) this.report(at(key), `the media type ${key} is gone`, true);
      else schemas.compare([schema ?? []].flat(), [counterpart.schema ?? []].flat(), at(counterpart.key));
    }
    for (const { key, type } of is) {
      if (!this.codecs.cover(before, type)) this.report(at(key), `the media type ${key} is new`, false);
    }
  }
}

/** The operations by method and path. Clients do not see the names of path parameters. */
function byRoute(document: OpenApiDocument): Map<string, Operation> {
  const routes = readOperations(document).flatMap((operation) =>
    operation.paths.map(
      (path) => [`${operation.method} ${path.replace(/\{[^}]*\}/g, '{}')}`, operation] as const,
    ),
  );
  return new Map(routes);
}

function nameOf(route: string, { operationId, paths }: Operation): string {
  const path = paths.find((candidate) => route.endsWith(` ${candidate.replace(/\{[^}]*\}/g, '{}')}`));
  return `${route.split(' ', 1)[0] ?? ''} ${path ?? ''} (${operationId})`;
}

/** The key of a parameter: its position in a path; its name without regard to case in a header. */
function keyOf({ pointer, paths }: Operation, { name, in: place }: Parameter): string {
  if (place !== 'path') return `${place} ${place === 'header' ? name.toLowerCase() : name}`;
  const templates = [...(paths[0] ?? pointer).matchAll(/\{([^}]*)\}/g)].map(([, template]) => template);
  return `path ${templates.indexOf(name)}`;
}

function responseFor({ responses }: Operation, status: string): ResponseObject | undefined {
  return responses.get(status) ?? responses.get(`${status.slice(0, 1)}XX`) ?? responses.get('default');
}

/** The credentials that a client sends for a security scheme. The name of the scheme does not matter to a client. */
function credentialsOf(document: OpenApiDocument, scheme: string): string {
  const { value } = document.follow(joinPointer('/components/securitySchemes', scheme));
  if (value['type'] === 'http') return `HTTP ${String(value['scheme']).toLowerCase()} credentials`;
  if (value['type'] === 'apiKey') return `the API key ${String(value['name'])} in the ${String(value['in'])}`;
  return `${String(value['type'])} credentials (${scheme})`;
}
