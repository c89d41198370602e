import {
  joinPointer,
  Codecs,
  type Direction,
  type MediaTypeObject,
  members,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  readOperations,
  type ResponseObject,
  lastStep,
} from '../../src/contract';
import { readExtensions } from '../publish/extensions';
import { compareWholes, essenceOf } from './decisions';
import { SchemaComparison, type ReportChange } from './schema-changes';
import { compareSecurity } from './security-changes';
import { Unchanged } from './unchanged';

/** What the server reads of an operation is a request; of a webhook it writes it, as a response. */
interface Roles {
  readonly inward: Direction;
  readonly outward: Direction;
}

/** Compares the operations of two versions of a document. */
export class OperationComparison {
  private readonly schemas: Readonly<Record<Direction, SchemaComparison>>;
  private readonly codecs = new Codecs(readExtensions().codecs);

  constructor(
    private readonly before: OpenApiDocument,
    private readonly after: OpenApiDocument,
    private readonly report: ReportChange,
  ) {
    const unchanged = new Unchanged(before, after);
    const schemas = (direction: Direction) =>
      new SchemaComparison(before, after, unchanged, direction, (pointer, message, breaking) => {
        report(pointer, `in ${direction}s: ${message}`, breaking);
      });
    this.schemas = { request: schemas('request'), response: schemas('response') };
  }

  /**
   * Compares the operations of a map of path items: `paths`, `webhooks` or a callback.
   *
   * @param inward `response` for what the server sends
   * @param was the pointer of the map in the earlier document
   */
  compareAll(at: string, inward: Direction, was = at): void {
    const [old, now] = [byRoute(this.before, was), byRoute(this.after, at)];
    const roles: Roles = { inward, outward: inward === 'request' ? 'response' : 'request' };
    for (const [route, operation] of old) {
      const counterpart = now.get(route);
      if (counterpart) this.compareOperation(operation, counterpart, roles);
      else this.report(operation.pointer, `${nameOf(route, operation)} is gone`, true);
    }
    for (const [route, operation] of now) {
      if (!old.has(route)) this.report(operation.pointer, `${nameOf(route, operation)} is new`, false);
    }
  }

  private compareOperation(was: Operation, is: Operation, roles: Roles): void {
    const object = (document: OpenApiDocument, { pointer }: Operation) => document.follow(pointer).value;
    const [old, now] = [object(this.before, was), object(this.after, is)];
    if (was.operationId !== is.operationId) {
      const message = `was ${was.operationId}, is ${is.operationId}`;
      this.report(joinPointer(is.pointer, 'operationId'), message, false);
    }
    const [from, to] = [
      essenceOf('Operation', { servers: old['servers'] }),
      essenceOf('Operation', { servers: now['servers'] }),
    ];
    if (from !== to) this.report(joinPointer(is.pointer, 'servers'), 'its servers differ', false);
    compareSecurity([this.before, was], [this.after, is], (pointer, message, breaking) => {
      this.report(pointer, message, breaking && roles.inward === 'request');
    });
    this.compareParameters(was, is, roles.inward);
    this.compareRequestBody(was, is, roles.inward);
    this.compareCallbacks(was, is, roles);
    for (const [status, response] of was.responses) {
      const counterpart = responseFor(is, status);
      if (counterpart)
        this.compareResponse(
          response,
          counterpart,
          joinPointer(is.pointer, 'responses', status),
          roles.outward,
        );
      else this.report(joinPointer(was.pointer, 'responses', status), `the status ${status} is gone`, true);
    }
    for (const [status, response] of is.responses) {
      if (was.responses.has(status)) continue;
      const pointer = joinPointer(is.pointer, 'responses', status);
      const covered = responseFor(was, status);
      if (covered) this.compareResponse(covered, response, pointer, roles.outward);
      this.report(pointer, `the status ${status} is new`, false);
    }
  }

  private readonly at = (pointer: string) => (keyword: string, message: string, breaking: boolean) => {
    this.report(joinPointer(pointer, keyword), message, breaking);
  };

  private compareCallbacks(was: Operation, is: Operation, { outward }: Roles): void {
    const places = (document: OpenApiDocument, { pointer }: Operation) => {
      const all = joinPointer(document.follow(pointer).pointer, 'callbacks');
      return new Map(
        members(document.at(all)).map(([name]) => [name, document.follow(joinPointer(all, name)).pointer]),
      );
    };
    const [old, now] = [places(this.before, was), places(this.after, is)];
    for (const [name, pointer] of old) {
      const counterpart = now.get(name);
      if (counterpart !== undefined) this.compareAll(counterpart, outward, pointer);
      else this.report(pointer, `the callback ${name} is gone`, true);
    }
    for (const [name, pointer] of now) {
      if (!old.has(name)) this.report(pointer, `the callback ${name} is new`, false);
    }
  }

  private compareParameters(was: Operation, is: Operation, direction: Direction): void {
    const now = new Map(is.parameters.map((parameter) => [keyOf(is, parameter), parameter]));
    for (const parameter of was.parameters) {
      const key = keyOf(was, parameter);
      const counterpart = now.get(key);
      now.delete(key);
      const { in: place, name } = counterpart ?? parameter;
      const title = `the ${place} parameter ${name}`;
      if (counterpart) this.compareParameter(parameter, counterpart, is.pointer, title, direction);
      else {
        // A server of this kind refuses an unknown query parameter.
        const breaking = place === 'query' || direction === 'response';
        this.report(was.pointer, `${title} is gone`, breaking);
      }
    }
    for (const { in: place, name, required } of now.values()) {
      const title = `the ${place} parameter ${name} is new`;
      this.report(
        is.pointer,
        required ? `${title} and required` : title,
        required && direction === 'request',
      );
    }
  }

  private compareParameter(
    was: Parameter,
    is: Parameter,
    owner: string,
    title: string,
    direction: Direction,
  ): void {
    if (was.required !== is.required) {
      const breaking = is.required === (direction === 'request');
      this.report(owner, `${title} is ${is.required ? 'required now' : 'no longer required'}`, breaking);
    }
    const object = (document: OpenApiDocument, { pointer }: Parameter) => document.follow(pointer).value;
    const [old, now] = [object(this.before, was), object(this.after, is)];
    const style = ({ json, style, explode }: Parameter) =>
      json ? 'JSON' : `${style}${explode ? ', exploded' : ''}`;
    const types = (parameter: Readonly<Record<string, unknown>>) =>
      members(parameter['content'])
        .map(([type]) => type)
        .join(', ');
    if (style(was) !== style(is)) this.report(owner, `${title} was ${style(was)}, is ${style(is)}`, true);
    else if (types(old) !== types(now))
      this.report(owner, `${title} was ${types(old)}, is ${types(now)}`, false);
    compareWholes('Parameter', old, now, direction, this.at(is.pointer));
    const schemas = this.schemas[direction];
    const [earlier, later] = [[was.schemaPointer ?? []].flat(), [is.schemaPointer ?? []].flat()];
    schemas.compare(earlier, later, owner);
    // A client leaves a parameter out to get its default.
    if (direction === 'request') schemas.compareDefaults(earlier, later, owner);
  }

  private compareRequestBody(
    { requestBody: was, ...old }: Operation,
    { requestBody: is, pointer }: Operation,
    direction: Direction,
  ): void {
    const place = joinPointer(pointer, 'requestBody');
    const demands = direction === 'request';
    if (!was || !is) {
      if (was) this.report(joinPointer(old.pointer, 'requestBody'), 'the request body is gone', true);
      if (is) {
        const message = `a request body is ${is.required ? 'required' : 'admitted'} now`;
        this.report(place, message, is.required && demands);
      }
      return;
    }
    if (was.required !== is.required) {
      const message = `the body is ${is.required ? 'required now' : 'no longer required'}`;
      this.report(place, message, is.required === demands);
    }
    this.compareContent(was.content, is.content, direction, place);
  }

  private compareResponse(
    was: ResponseObject,
    is: ResponseObject,
    pointer: string,
    direction: Direction,
  ): void {
    const now = new Map(is.headers.map((header) => [header.name.toLowerCase(), header]));
    for (const header of was.headers) {
      const counterpart = now.get(header.name.toLowerCase());
      now.delete(header.name.toLowerCase());
      const title = `the header ${header.name}`;
      if (counterpart) this.compareParameter(header, counterpart, pointer, title, direction);
      else this.report(pointer, `${title} is gone`, direction === 'response');
    }
    for (const { name, required } of now.values())
      this.report(pointer, `the header ${name} is new`, required && direction === 'request');
    this.compareContent(was.content, is.content, direction, pointer);
  }

  private compareContent(
    was: readonly MediaTypeObject[],
    is: readonly MediaTypeObject[],
    direction: Direction,
    pointer: string,
  ): void {
    const at = (key: string) => joinPointer(pointer, 'content', key);
    const before = this.codecs.coded(this.before, was);
    const after = this.codecs.coded(this.after, is);
    for (const { key, type, schema, pointer: place } of was) {
      const counterpart = this.codecs.cover(after, type);
      if (!counterpart) {
        this.report(at(key), `the media type ${key} is gone`, true);
        continue;
      }
      const object = (document: OpenApiDocument, where: string) => document.follow(where).value;
      const [old, now] = [object(this.before, place), object(this.after, counterpart.pointer)];
      compareWholes('MediaType', old, now, direction, this.at(counterpart.pointer));
      const [earlier, later] = [[schema ?? []].flat(), [counterpart.schema ?? []].flat()];
      this.schemas[direction].compare(earlier, later, at(counterpart.key));
    }
    for (const { key, type } of is) {
      if (!this.codecs.cover(before, type)) this.report(at(key), `the media type ${key} is new`, false);
    }
  }
}

/** The operations by method and path. Clients do not see the names of path parameters. */
export function byRoute(document: OpenApiDocument, at = '/paths'): Map<string, Operation> {
  const served = at === '/paths';
  const routes = readOperations(document, at).flatMap((operation) => {
    // Webhooks and callbacks have names, or expressions.
    const names = served ? operation.paths : [lastStep(parentOf(operation.pointer))];
    return names.map(
      (name) =>
        [`${operation.method} ${served ? name.replace(/\{[^}]*\}/g, '{}') : name}`, operation] as const,
    );
  });
  return new Map(routes);
}

const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'));

function nameOf(route: string, { operationId, paths }: Operation): string {
  const path = paths.find((candidate) => route.endsWith(` ${candidate.replace(/\{[^}]*\}/g, '{}')}`));
  return path === undefined ? route : `${route.split(' ', 1)[0] ?? ''} ${path} (${operationId})`;
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
