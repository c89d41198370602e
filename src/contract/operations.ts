import { bodyCodec, unservableBody } from './body-codec';
import { below, isObject, members, type OpenApiDocument, type Place } from './document';
import { checkScopes } from './security/scopes';
import { type MediaTypeObject, parseMediaType } from './media-type';

/** OpenAPI 3.1 section 4.8.9. */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

const PARAMETER_LOCATIONS = ['path', 'query', 'header', 'cookie'] as const;
export type ParameterLocation = (typeof PARAMETER_LOCATIONS)[number];

/** OpenAPI 3.1 sections 4.8.12 and 4.8.21: a parameter of a request, or a header of a response. */
export interface Parameter {
  readonly name: string;
  readonly in: ParameterLocation;
  readonly required: boolean;
  readonly style: string;
  readonly explode: boolean;
  readonly schema: string | undefined;
  /** The parameter is JSON text, not a style. */
  readonly json: boolean;
}

/** OpenAPI 3.1 section 4.8.17. */
export interface ResponseObject {
  readonly headers: readonly Parameter[];
  readonly content: readonly MediaTypeObject[];
}

/** One way to satisfy a security requirement: all of its schemes. None: anonymous. */
export type SecurityAlternative = readonly { readonly scheme: string; readonly scopes: readonly string[] }[];

/** OpenAPI 3.1 section 4.8.10, with everything it refers to or inherits. */
export interface Operation {
  readonly operationId: string;
  /** In upper case. */
  readonly method: string;
  /** Its path below each base path of its servers, templates in braces. */
  readonly paths: readonly string[];
  readonly pointer: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody:
    { readonly required: boolean; readonly content: readonly MediaTypeObject[] } | undefined;
  /** By status, range (`2XX`) or `default`. */
  readonly responses: ReadonlyMap<string, ResponseObject>;
  readonly security: readonly SecurityAlternative[];
}

/** Reads every operation under `paths`. Callbacks and webhooks are for others to serve. */
export function readOperations(document: OpenApiDocument): Operation[] {
  const operations: Operation[] = [];
  const known = new Map<string, string>();
  for (const [path] of members(document.root['paths'])) {
    if (!path.startsWith('/')) continue;
    const item = document.follow(below('/paths', path));
    for (const method of METHODS) {
      if (!(method in item.value)) continue;
      const operation = new OperationReader(document, path, item, method).read();
      const { operationId, pointer } = operation;
      const other = known.get(operationId);
      if (other !== undefined) document.addFinding(below(pointer, 'operationId'), `is that of #${other} too`);
      known.set(operationId, pointer);
      operations.push(operation);
    }
  }
  return operations;
}

class OperationReader {
  private readonly operation: Place;

  constructor(
    private readonly document: OpenApiDocument,
    private readonly path: string,
    private readonly item: Place,
    private readonly method: string,
  ) {
    this.operation = document.follow(below(item.pointer, method));
  }

  read(): Operation {
    const { pointer, value } = this.operation;
    const { operationId } = value;
    if (typeof operationId !== 'string') {
      this.document.addFinding(pointer, 'has no operationId, by which its handler is found');
    }
    const statuses = members(value['responses']).flatMap(([key]) => (key.startsWith('x-') ? [] : [key]));
    if (statuses.length === 0) {
      this.document.addFinding(pointer, 'has no responses: nothing could be answered');
    }
    return {
      operationId: String(operationId),
      method: this.method.toUpperCase(),
      paths: this.basePaths().map((base) => base + this.path),
      pointer,
      parameters: this.parameters(),
      requestBody: this.requestBody(),
      responses: new Map(statuses.map((status) => [status, this.response(status)])),
      security: this.security(),
    };
  }

  /** The path of each server's URL, without a slash at its end (OpenAPI 3.1 section 4.8.5). */
  private basePaths(): string[] {
    const root = { pointer: '', value: this.document.root };
    const owner = [this.operation, this.item, root].find(
      ({ value }) => Array.isArray(value['servers']) && value['servers'].length > 0,
    );
    if (!owner) return [''];
    const paths = new Set<string>();
    for (const [i, server] of [owner.value['servers']].flat().entries()) {
      if (!isObject(server)) continue;
      const url = String(server['url']).replace(/\{([^{}]*)\}/g, (_, name: string) => {
        const variable = isObject(server['variables']) ? server['variables'][name] : undefined;
        return String(isObject(variable) ? variable['default'] : '');
      });
      try {
        paths.add(new URL(url, 'http://localhost/').pathname.replace(/\/$/, ''));
      } catch {
        this.document.addFinding(
          below(owner.pointer, 'servers', i, 'url'),
          `${JSON.stringify(url)} is not a URL`,
        );
      }
    }
    return [...paths];
  }

  private parameters(): Parameter[] {
    const found = new Map<string, Parameter>();
    for (const owner of [this.item, this.operation]) {
      for (const i of [owner.value['parameters'] ?? []].flat().keys()) {
        const place = this.document.follow(below(owner.pointer, 'parameters', i));
        const location = PARAMETER_LOCATIONS.find((name) => name === place.value['in']);
        const name = String(place.value['name']);
        // OpenAPI 3.1 section 4.8.12.1: other parts of the document describe these.
        const ignored = location === 'header' && /^(accept|content-type|authorization)$/i.test(name);
        if (location && !ignored) found.set(`${location} ${name}`, this.parameter(name, location, place));
      }
    }
    this.checkTemplates([...found.values()]);
    return [...found.values()];
  }

  /** Each template of the path has a parameter, and each path parameter a template. */
  private checkTemplates(parameters: readonly Parameter[]): void {
    const { pointer } = this.operation;
    const templates = new Set([...this.path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name));
    for (const { name, in: location } of parameters) {
      if (location === 'path' && !templates.delete(name)) {
        const message = `has the path parameter ${name}, which is not in ${this.path}`;
        this.document.addFinding(pointer, message);
      }
    }
    for (const name of templates) {
      this.document.addFinding(pointer, `does not describe the path parameter ${name}`);
    }
  }

  private parameter(name: string, location: ParameterLocation, { pointer, value }: Place): Parameter {
    const usual = location === 'query' || location === 'cookie' ? 'form' : 'simple';
    const style = typeof value['style'] === 'string' ? value['style'] : usual;
    const content = this.content(pointer, value['content']);
    const json = content[0]?.codec === 'json';
    if (content[0] && !json) {
      this.document.addFinding(below(pointer, 'content'), 'only JSON can be read as a parameter');
    }
    return {
      name,
      in: location,
      required: value['required'] === true,
      style,
      explode: typeof value['explode'] === 'boolean' ? value['explode'] : style === 'form',
      schema: json ? content[0]?.schema : 'schema' in value ? below(pointer, 'schema') : undefined,
      json,
    };
  }

  private requestBody(): Operation['requestBody'] {
    if (!('requestBody' in this.operation.value)) return undefined;
    const { pointer, value } = this.document.follow(below(this.operation.pointer, 'requestBody'));
    return { required: value['required'] === true, content: this.content(pointer, value['content']) };
  }

  private response(status: string): ResponseObject {
    const { pointer, value } = this.document.follow(below(this.operation.pointer, 'responses', status));
    const headers = members(value['headers']).flatMap(([name]) => {
      if (name.toLowerCase() === 'content-type') return []; // OpenAPI 3.1 section 4.8.17.1
      return [this.parameter(name, 'header', this.document.follow(below(pointer, 'headers', name)))];
    });
    const content = this.content(pointer, value['content']);
    for (const { key, codec } of content) {
      if (codec === 'form') {
        this.document.addFinding(below(pointer, 'content', key), 'a form cannot be served as a response');
      }
    }
    return { headers, content };
  }

  private content(owner: string, content: unknown): MediaTypeObject[] {
    return members(content).map(([key, value]) => {
      const pointer = below(owner, 'content', key);
      const schema = isObject(value) && 'schema' in value ? below(pointer, 'schema') : undefined;
      const type = parseMediaType(key);
      if (!type) {
        this.document.addFinding(pointer, `${JSON.stringify(key)} is not a media type`);
        return { key, type: { essence: key, parameters: new Map() }, codec: 'binary', schema };
      }
      const codec = bodyCodec(this.document, type, schema);
      const reason = unservableBody(this.document, key, type, codec, schema);
      if (reason !== undefined) {
        this.document.addFinding(
          schema ?? pointer,
          `${String(this.operation.value['operationId'])}: ${reason}`,
        );
      }
      return { key, type, codec, schema };
    });
  }

  private security(): SecurityAlternative[] {
    const own = this.operation.value['security'];
    const pointer = own === undefined ? '/security' : below(this.operation.pointer, 'security');
    return [own ?? this.document.root['security'] ?? []].flat().map((alternative, i) =>
      members(alternative).map(([scheme, scopes]) => {
        if (this.document.at(below('/components/securitySchemes', scheme)) === undefined) {
          this.document.addFinding(below(pointer, i, scheme), 'is not among components.securitySchemes');
        }
        const demanded = [scopes].flat().map(String);
        checkScopes(this.document, below(pointer, i, scheme), scheme, demanded);
        return { scheme, scopes: demanded };
      }),
    );
  }
}
