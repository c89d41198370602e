import { METHODS as PARSED } from 'node:http';
import { joinPointer, members, type OpenApiDocument, type Place } from '../document/document';
import { WHOLE_QUERY } from '../document/openapi-schema';
import { type OperationPlace, operationPlaces } from '../document/path-items';
import { basePathsOf } from '../document/servers';
import { readAlternatives, type SecurityAlternative } from './alternatives';
import { hasNoContent } from '../http/body';
import type { MediaTypeObject } from '../http/media-type';
import { isJsonText, readContent } from './content';
import { type Deprecation, deprecationOf } from './deprecation';

const PARAMETER_LOCATIONS = ['path', 'query', 'querystring', 'header', 'cookie'] as const;
export type ParameterLocation = (typeof PARAMETER_LOCATIONS)[number];

/** A parameter of a request, or a header of a response (OpenAPI 3.1 sections 4.8.12 and 4.8.21). */
export interface Parameter {
  readonly name: string;
  readonly in: ParameterLocation;
  readonly required: boolean;
  /** By default that of its location (OpenAPI 3.1 section 4.8.12.2). */
  readonly style: string;
  /** By default true for the styles `form` and `cookie` only. */
  readonly explode: boolean;
  /** JSON pointer to its schema, if it has one. */
  readonly schemaPointer: string | undefined;
  /** Whether the value is JSON text, by `content` and not by `schema` and a style. */
  readonly json: boolean;
  /** Its media type, by `content`: in `querystring`, that of the whole query (OpenAPI 3.2 section 4.12.1). */
  readonly content?: MediaTypeObject;
  /** JSON pointer to the Parameter Object or Header Object. */
  readonly pointer: string;
}

/** A Response Object (OpenAPI 3.1 section 4.8.17). */
export interface ResponseObject {
  readonly headers: readonly Parameter[];
  readonly content: readonly MediaTypeObject[];
}

/** An Operation Object (OpenAPI 3.1 section 4.8.10) with everything that it refers to or inherits. */
export interface Operation {
  /** Without one in the document, which is a finding, the method and the path. */
  readonly operationId: string;
  /** In upper case. */
  readonly method: string;
  /** Its path template below each base path of its servers. */
  readonly paths: readonly string[];
  /** JSON pointer (RFC 6901) into the document. */
  readonly pointer: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody:
    { readonly required: boolean; readonly content: readonly MediaTypeObject[] } | undefined;
  /** The maximum size of its body in bytes (`x-body-limit`); undefined: that of the service. */
  readonly bodyLimit: number | undefined;
  /** Undefined if it is not deprecated. */
  readonly deprecation: Deprecation | undefined;
  /** By status, range (`2XX`) or `default`. */
  readonly responses: ReadonlyMap<string, ResponseObject>;
  /** One of these alternatives is required; empty: none. */
  readonly security: readonly SecurityAlternative[];
}

/** The key of the statuses like this one: `4XX`. */
export const statusRange = (status: number): string => `${Math.floor(status / 100)}XX`;

/** The key under which an operation documents a status: the status, its range or `default`; undefined if it does not. */
export const documentedKey = ({ responses }: Pick<Operation, 'responses'>, status: number) =>
  [String(status), statusRange(status), 'default'].find((key) => responses.has(key));

/** The responses that `Accept` chooses from: the successes, or `default` where there is none (RFC 9110 section 12.5.1). */
export function negotiable({ responses }: Operation): readonly ResponseObject[] {
  const keys = [...responses.keys()];
  const successes = keys.filter((key) => key.startsWith('2'));
  const chosen = successes.length > 0 ? successes : keys.filter((key) => key === 'default');
  return chosen.flatMap((key) => responses.get(key) ?? []);
}

/**
 * Reads every operation under `paths`. Faults become findings of the document.
 *
 * @param at the pointer to another map of path items: `webhooks`, or a Callback Object. Clients serve these.
 */
export function readOperations(document: OpenApiDocument, at = '/paths'): readonly Operation[] {
  const read = operationsOf.get(document) ?? new Map<string, readonly Operation[]>();
  operationsOf.set(document, read);
  const operations = read.get(at) ?? readFrom(document, at);
  read.set(at, operations);
  return operations;
}

/** The operations that were read, by the pointer of their map. */
const operationsOf = new WeakMap<OpenApiDocument, Map<string, readonly Operation[]>>();

function readFrom(document: OpenApiDocument, at: string): Operation[] {
  const known = new Map<string, string>();
  return operationPlaces(document, at).map((place) => {
    if (at === '/paths') checkMethod(document, place);
    const operation = new OperationReader(document, place).read();
    const { value } = document.follow(place.pointer);
    if (typeof value['operationId'] !== 'string') return operation;
    const other = known.get(operation.operationId) ?? place.pointer;
    // Several paths may refer to one path item. They share its operations.
    if (other !== place.pointer) {
      document.addFinding(joinPointer(place.pointer, 'operationId'), `is also the operationId of #${other}`);
    }
    known.set(operation.operationId, place.pointer);
    return operation;
  });
}

/**
 * Reads an operation that the server sends, which has neither a path nor credentials of its own.
 *
 * @param name stands for its operationId
 */
export const readSentOperation = (
  document: OpenApiDocument,
  place: OperationPlace,
  name: string,
): Operation => new OperationReader(document, { ...place, path: 'its URL' }).readSent(name);

/** Adds a finding for a method of `additionalOperations` that cannot be served: methods have cases (RFC 9110 section 9.1). */
function checkMethod(document: OpenApiDocument, { method, pointer }: OperationPlace): void {
  if (!PARSED.includes(method)) {
    const upper = method.toUpperCase();
    const advice = PARSED.includes(upper) ? `: methods are case-sensitive; did you mean ${upper}?` : '';
    document.addFinding(
      pointer,
      `is for the method ${method}, which the HTTP parser of Node does not know${advice}`,
    );
  } else if (method === 'CONNECT') {
    document.addFinding(pointer, 'is for CONNECT, which opens a tunnel (RFC 9110 section 9.3.6)');
  }
}

/** Adds a finding for the content of a header or parameter that is sent, and is not JSON. */
export function checkJson(document: OpenApiDocument, { content, json, pointer }: Parameter): void {
  if (content && !json)
    document.addFinding(joinPointer(pointer, 'content'), `only JSON can be sent, got ${content.key}`);
}

class OperationReader {
  private readonly operation: Place;

  constructor(
    private readonly document: OpenApiDocument,
    private readonly place: OperationPlace,
  ) {
    this.operation = document.follow(place.pointer);
  }

  read(): Operation {
    const { pointer, value } = this.operation;
    const { path, method } = this.place;
    const { operationId } = value;
    const nameless = `${method.toLowerCase()} ${path}`;
    const servers = [joinPointer(pointer, 'servers'), this.place.item.get('servers')];
    if (typeof operationId !== 'string') {
      const advice = `add one, such as ${camelCase(nameless)}`;
      this.document.addFinding(pointer, `has no operationId, by which its handler is found: ${advice}`);
    }
    const sent = this.readSent(typeof operationId === 'string' ? operationId : nameless);
    if (sent.responses.size === 0) {
      this.document.addFinding(pointer, 'has no responses, so nothing can be sent');
    }
    return {
      ...sent,
      paths: basePathsOf(this.document, servers).map((base) => base + path),
      bodyLimit: typeof value['x-body-limit'] === 'number' ? value['x-body-limit'] : undefined,
      deprecation: deprecationOf(value),
      security: this.security(),
    };
  }

  readSent(operationId: string): Operation {
    const { pointer, value } = this.operation;
    const statuses = members(value['responses']).flatMap(([key]) => (key.startsWith('x-') ? [] : [key]));
    return {
      operationId,
      method: this.place.method,
      paths: [],
      pointer,
      parameters: this.parameters(),
      requestBody: this.requestBody(),
      bodyLimit: undefined,
      deprecation: undefined,
      responses: new Map(statuses.map((status) => [status, this.response(status)])),
      security: [],
    };
  }

  private parameters(): Parameter[] {
    const found = new Map<string, Parameter>();
    for (const list of [
      this.place.item.get('parameters'),
      joinPointer(this.operation.pointer, 'parameters'),
    ]) {
      for (const i of list === undefined ? [] : [this.document.at(list) ?? []].flat().keys()) {
        const place = this.document.follow(joinPointer(list ?? '', i));
        const location = PARAMETER_LOCATIONS.find((name) => name === place.value['in']);
        const name = String(place.value['name']);
        // OpenAPI 3.1 section 4.8.12.1: other parts of the document describe these.
        const ignored = location === 'header' && /^(accept|content-type|authorization)$/i.test(name);
        if (ignored)
          this.remark(place.pointer, `${name} is described by other parts of the document`, 'Parameter name');
        if (location && !ignored) found.set(`${location} ${name}`, this.parameter(name, location, place));
      }
    }
    this.checkTemplates([...found.values()]);
    this.checkQuery([...found.values()]);
    return [...found.values()];
  }

  /** Adds a finding for each template expression without a path parameter, and for each path parameter without one. */
  private checkTemplates(parameters: readonly Parameter[]): void {
    const { pointer } = this.operation;
    const templates = new Set([...this.place.path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name));
    for (const { name, in: location } of parameters) {
      if (location === 'path' && !templates.delete(name)) {
        const message = `has the path parameter ${name}, which is not in ${this.place.path}`;
        this.document.addFinding(pointer, message);
      }
    }
    for (const name of templates) {
      this.document.addFinding(pointer, `does not describe the path parameter ${name}`);
    }
  }

  /** Adds a finding unless the parameters of the query are one value, or pairs (OpenAPI 3.2 section 4.12.1). */
  private checkQuery(parameters: readonly Parameter[]): void {
    const count = (location: ParameterLocation) => parameters.filter((one) => one.in === location).length;
    const own = joinPointer(this.operation.pointer, 'parameters');
    const pointer = this.document.at(own) === undefined ? (this.place.item.get('parameters') ?? own) : own;
    if (count('querystring') > 1) this.document.addFinding(pointer, WHOLE_QUERY.several);
    if (count('querystring') > 0 && count('query') > 0) this.document.addFinding(pointer, WHOLE_QUERY.mixed);
  }

  private parameter(name: string, location: ParameterLocation, { pointer, value }: Place): Parameter {
    const usual = location === 'query' || location === 'cookie' ? 'form' : 'simple';
    const style = typeof value['style'] === 'string' ? value['style'] : usual;
    const content = readContent(this.document, pointer, value['content']);
    const json = content[0] !== undefined && isJsonText(content[0]);
    if (content[0]?.items !== undefined || content[0]?.isStream === true)
      this.document.addFinding(
        content[0].pointer,
        'only a body can have items or be a stream, not a parameter',
      );
    return {
      name,
      in: location,
      required: value['required'] === true,
      style,
      explode: typeof value['explode'] === 'boolean' ? value['explode'] : ['form', 'cookie'].includes(style),
      schemaPointer: content[0]
        ? content[0].schema
        : 'schema' in value
          ? joinPointer(pointer, 'schema')
          : undefined,
      json,
      ...(content[0] && { content: content[0] }),
      pointer,
    };
  }

  private remark(pointer: string, message: string, keyword: string): void {
    this.document.addRemark({ pointer, message: `is not enforced: ${message}`, keyword });
  }

  private requestBody(): Operation['requestBody'] {
    if (!('requestBody' in this.operation.value)) return undefined;
    const { pointer, value } = this.document.follow(joinPointer(this.operation.pointer, 'requestBody'));
    return {
      required: value['required'] === true,
      content: readContent(this.document, pointer, value['content']),
    };
  }

  private response(status: string): ResponseObject {
    const { pointer, value } = this.document.follow(joinPointer(this.operation.pointer, 'responses', status));
    if (status.startsWith('1')) this.remark(pointer, 'informational responses are not sent', 'Responses 1XX');
    const headers = members(value['headers']).flatMap(([name]) => {
      if (name.toLowerCase() === 'content-type') {
        // OpenAPI 3.1 section 4.8.17.1
        this.remark(
          joinPointer(pointer, 'headers', name),
          'is described by the media types',
          'Response headers',
        );
        return [];
      }
      const header = this.parameter(
        name,
        'header',
        this.document.follow(joinPointer(pointer, 'headers', name)),
      );
      checkJson(this.document, header);
      return [header];
    });
    const content = readContent(this.document, pointer, value['content']);
    if (!hasNoContent(Number(status)) || content.length === 0) return { headers, content };
    const message = `responses with the status ${status} have no content (RFC 9110 section 15)`;
    this.remark(joinPointer(pointer, 'content'), message, 'Response content');
    return { headers, content: [] };
  }

  private security(): SecurityAlternative[] {
    const own = this.operation.value['security'];
    return readAlternatives(
      this.document,
      own === undefined ? '/security' : joinPointer(this.operation.pointer, 'security'),
    );
  }
}

/** Reads a map of Header Objects, such as those of the parts of a multipart body. Content-Type is not one of them. */
export function headersAt(document: OpenApiDocument, map: string): Parameter[] {
  return members(document.at(map)).flatMap(([name]) => {
    if (name.toLowerCase() === 'content-type') return [];
    const { pointer, value } = document.follow(joinPointer(map, name));
    const [key] = members(value['content']).map(([type]) => type);
    const owner = key === undefined ? pointer : joinPointer(pointer, 'content', key);
    return {
      name,
      in: 'header',
      required: value['required'] === true,
      style: 'simple',
      explode: value['explode'] === true,
      schemaPointer: key !== undefined || 'schema' in value ? joinPointer(owner, 'schema') : undefined,
      json: key !== undefined,
      pointer,
    };
  });
}

/** Proposes an operationId: `postThings`. */
export function camelCase(text: string): string {
  const [first = '', ...others] = text.match(/[A-Za-z0-9]+/g) ?? [];
  return first + others.map((keyword) => keyword.slice(0, 1).toUpperCase() + keyword.slice(1)).join('');
}
