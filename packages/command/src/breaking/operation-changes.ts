import {
  joinPointer,
  Codecs,
  type Direction,
  type MediaTypeObject,
  members,
  type OpenApiDocument,
  type Parameter,
  readOperations,
  type ResponseObject,
  lastStep,
} from 'contract-first-server/tools';
import { type JsonObject, type Operation } from 'contract-first-server';
import { readExtensions } from '../load';
import { compareEncodings } from './encoding-changes';
import { compareWholes, essenceOf, keywordMessage } from './decisions';
import { SchemaComparison, type ReportChange } from './schema-changes';
import { compareSecurity } from './security-changes';

/** What the server reads of an operation is a request; of a webhook it writes it, as a response. */
interface Roles {
  readonly inward: Direction;
  readonly outward: Direction;
}

/** Compares the operations of two versions of a document. */
export class OperationComparison {
  private readonly schemas: Readonly<Record<Direction, SchemaComparison>>;
  private readonly events: Readonly<Record<Direction, SchemaComparison>>;
  private readonly codecs = new Codecs(readExtensions().codecs);

  constructor(
    private readonly before: OpenApiDocument,
    private readonly after: OpenApiDocument,
    private readonly report: ReportChange,
    private readonly today: number,
  ) {
    const comparison = (direction: Direction, areEvents: boolean) => {
      const said: ReportChange = (pointer, message, breaking) => {
        report(pointer, `in ${direction}s: ${message}`, breaking);
      };
      return new SchemaComparison(before, after, direction, said, undefined, areEvents);
    };
    const both = (areEvents: boolean) => ({
      request: comparison('request', areEvents),
      response: comparison('response', areEvents),
    });
    [this.schemas, this.events] = [both(false), both(true)];
  }

  /**
   * Compares the operations of a map of path items: `paths`, `webhooks` or a callback.
   *
   * @param inward `response` for what the server sends
   * @param was the pointer of the map in the earlier document
   */
  compareAll(at: string, inward: Direction, was = at): void {
    const roles: Roles = { inward, outward: inward === 'request' ? 'response' : 'request' };
    for (const [route, before, after] of paired(byRoute(this.before, was), byRoute(this.after, at))) {
      if (!before) this.report(after.pointer, `${nameOf(route, after)} is new`, false);
      else if (!after) this.reportGone(nameOf(route, before), before);
      else this.compareOperation(before, after, roles);
    }
  }

  private reportGone(name: string, { pointer, deprecation }: Operation): void {
    const { sunset = Infinity } = deprecation ?? {};
    if (sunset > this.today) this.report(pointer, `${name} is gone`, true);
    else this.report(pointer, `${name} is gone after its sunset ${dateOf(sunset)}`, false);
  }

  private compareOperation(was: Operation, is: Operation, roles: Roles): void {
    const at = this.reportAt(is.pointer);
    if (was.operationId !== is.operationId)
      at('operationId', `was ${was.operationId}, is ${is.operationId}`, false);
    const [from, to] = this.objects(was, is).map(({ servers }) => essenceOf('Operation', { servers }));
    if (from !== to) at('servers', 'its servers differ', false);
    compareSecurity([this.before, was], [this.after, is], (pointer, message, breaking) => {
      this.report(pointer, message, breaking && roles.inward === 'request');
    });
    const [limit, later] = [was.bodyLimit, is.bodyLimit];
    if (limit !== later)
      at(
        'x-body-limit',
        keywordMessage('x-body-limit', limit?.toString(), later?.toString()),
        // Without one, the limit is a matter of configuration.
        roles.inward === 'request' && limit !== undefined && (later ?? 0) < limit,
      );
    this.compareParameters(was, is, roles.inward);
    this.compareRequestBody(was, is, roles.inward);
    this.compareCallbacks(was, is, roles);
    for (const status of new Set([...was.responses.keys(), ...is.responses.keys()])) {
      const pointer = joinPointer(is.pointer, 'responses', status);
      const [before, after] = [responseFor(was, status), responseFor(is, status)];
      if (before && after) this.compareResponse(before, after, pointer, roles.outward);
      if (!was.responses.has(status)) this.report(pointer, `the status ${status} is new`, false);
      else if (!after)
        this.report(joinPointer(was.pointer, 'responses', status), `the status ${status} is gone`, true);
    }
  }

  /** The objects of both documents, behind their references. */
  private objects(
    was: { readonly pointer: string },
    is: { readonly pointer: string },
  ): [JsonObject, JsonObject] {
    return [this.before.follow(was.pointer).value, this.after.follow(is.pointer).value];
  }

  private readonly reportAt = (pointer: string) => (keyword: string, message: string, breaking: boolean) => {
    this.report(joinPointer(pointer, keyword), message, breaking);
  };

  private compareCallbacks(was: Operation, is: Operation, { outward }: Roles): void {
    const places = (document: OpenApiDocument, { pointer }: Operation) => {
      const all = joinPointer(document.follow(pointer).pointer, 'callbacks');
      return new Map(
        members(document.at(all)).map(([name]) => [name, document.follow(joinPointer(all, name)).pointer]),
      );
    };
    for (const [name, before, after] of paired(places(this.before, was), places(this.after, is))) {
      if (before === undefined) this.report(after, `the callback ${name} is new`, false);
      else if (after === undefined) this.report(before, `the callback ${name} is gone`, true);
      else this.compareAll(after, outward, before);
    }
  }

  private compareParameters(was: Operation, is: Operation, direction: Direction): void {
    const byKey = (operation: Operation) =>
      new Map(operation.parameters.map((parameter) => [keyOf(operation, parameter), parameter]));
    const title = ({ in: place, name }: Parameter) => `the ${place} parameter ${name}`;
    for (const [, before, after] of paired(byKey(was), byKey(is))) {
      if (!before) {
        const demanded = after.required ? ' and required' : '';
        this.report(
          is.pointer,
          `${title(after)} is new${demanded}`,
          after.required && direction === 'request',
        );
      } else if (!after) {
        // A server of this kind refuses an unknown query parameter.
        const breaking = before.in === 'query' || direction === 'response';
        this.report(was.pointer, `${title(before)} is gone`, breaking);
      } else this.compareParameter(before, after, is.pointer, title(after), direction);
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
    const [old, now] = this.objects(was, is);
    const style = ({ json, style, explode }: Parameter) =>
      json ? 'JSON' : `${style}${explode ? ', exploded' : ''}`;
    const types = ({ content }: JsonObject) =>
      members(content)
        .map(([type]) => type)
        .join(', ');
    if (style(was) !== style(is)) this.report(owner, `${title} was ${style(was)}, is ${style(is)}`, true);
    else if (types(old) !== types(now))
      this.report(owner, `${title} was ${types(old)}, is ${types(now)}`, false);
    compareWholes('Parameter', old, now, direction, this.reportAt(is.pointer));
    const schemas = this.schemas[direction];
    const [earlier, later] = [[was.schemaPointer ?? []].flat(), [is.schemaPointer ?? []].flat()];
    schemas.compare(earlier, later, owner);
    // A client leaves a parameter out to get its default.
    if (direction === 'request') schemas.compareDefaults(earlier, later, owner);
  }

  private compareRequestBody(old: Operation, now: Operation, direction: Direction): void {
    const [was, is] = [old.requestBody, now.requestBody];
    const at = this.reportAt(now.pointer);
    const demands = direction === 'request';
    if (was && is) {
      if (was.required !== is.required) {
        const message = `the body is ${is.required ? 'required now' : 'no longer required'}`;
        at('requestBody', message, is.required === demands);
      }
      this.compareContent(was.content, is.content, direction, joinPointer(now.pointer, 'requestBody'));
    } else if (was) this.reportAt(old.pointer)('requestBody', 'the request body is gone', true);
    else if (is)
      at(
        'requestBody',
        `a request body is ${is.required ? 'required' : 'admitted'} now`,
        is.required && demands,
      );
  }

  private compareResponse(
    was: ResponseObject,
    is: ResponseObject,
    pointer: string,
    direction: Direction,
  ): void {
    const byName = ({ headers }: ResponseObject) =>
      new Map(headers.map((header) => [header.name.toLowerCase(), header]));
    for (const [, before, after] of paired(byName(was), byName(is))) {
      const title = `the header ${(before ?? after).name}`;
      if (!before) this.report(pointer, `${title} is new`, after.required && direction === 'request');
      else if (!after) this.report(pointer, `${title} is gone`, direction === 'response');
      else this.compareParameter(before, after, pointer, title, direction);
    }
    this.compareContent(was.content, is.content, direction, pointer);
  }

  private compareContent(
    was: readonly MediaTypeObject[],
    is: readonly MediaTypeObject[],
    direction: Direction,
    pointer: string,
  ): void {
    const at = this.reportAt(joinPointer(pointer, 'content'));
    const before = this.codecs.coded(this.before, was);
    const after = this.codecs.coded(this.after, is);
    for (const earlier of was) {
      const later = this.codecs.cover(after, earlier.type);
      if (later) {
        const objects = this.objects(earlier, later);
        compareWholes('MediaType', ...objects, direction, this.reportAt(later.pointer));
        compareEncodings(...objects, direction, this.reportAt(joinPointer(later.pointer, 'encoding')));
        const place = joinPointer(pointer, 'content', later.key);
        const compare = (by: SchemaComparison, name: 'schema' | 'items') => {
          by.compare([earlier[name] ?? []].flat(), [later[name] ?? []].flat(), place);
        };
        compare(this.schemas[direction], 'schema');
        const ofEvents = later.type.essence === 'text/event-stream';
        compare((ofEvents ? this.events : this.schemas)[direction], 'items');
      } else at(earlier.key, `the media type ${earlier.key} is gone`, true);
    }
    for (const { key, type } of is) {
      if (!this.codecs.cover(before, type)) at(key, `the media type ${key} is new`, false);
    }
  }
}

type Pair<T> =
  | readonly [name: string, was: T, is: T]
  | readonly [name: string, was: T, is: undefined]
  | readonly [name: string, was: undefined, is: T];

/** The members of two maps with their names, those of the earlier map first. */
function* paired<T>(was: ReadonlyMap<string, T>, is: ReadonlyMap<string, T>): Generator<Pair<T>> {
  for (const [name, before] of was) yield [name, before, is.get(name)] as Pair<T>;
  for (const [name, after] of is) if (!was.has(name)) yield [name, undefined, after];
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

const dateOf = (instant: number): string => new Date(instant).toISOString().slice(0, 10);
