import type { JsonObject } from './json-pointer';

/** The versions of OpenAPI that are read. */
export type Version = '3.1' | '3.2';

/** The version of a document. What neither of them is counts as 3.1: that it is no version is a finding. */
export const versionOf = ({ openapi }: JsonObject): Version =>
  String(openapi).startsWith('3.2.') ? '3.2' : '3.1';

/**
 * The table of keywords: each fixed field of each object of OpenAPI 3.1.1 (https://spec.openapis.org/oas/v3.1.1.html) and of
 * 3.2.0 (https://spec.openapis.org/oas/v3.2.0.html), and each keyword of JSON Schema 2020-12 with the fields that OpenAPI adds
 * to it, with its support in this server:
 *
 * - `enforced`: it changes what is accepted, answered or served.
 * - `documented`: an annotation. It is published, and changes nothing at run time.
 * - `refused`: a document that has it is not served.
 * - `unenforced`: it is not enforced. Each place of it is a remark.
 *
 * A keyword that is not in the table is a remark if the specification ignores it (in a schema, beside the `$ref` of a Reference
 * Object), and otherwise a finding, because it makes the document invalid. Other names that begin with `x-` are
 * documented.
 *
 * After the support comes the content of the value: an object (`Info`), a list of them (`[Server]`) or a map of them
 * (`{Schema}`). A value without it is data: nothing in it is a schema or a reference. Before it, `3.2` marks the fields that
 * OpenAPI 3.2 adds: a document of 3.1 does not have them.
 */
export type Support = 'enforced' | 'documented' | 'refused' | 'unenforced';

const TABLE = {
  OpenAPI: {
    openapi: 'enforced',
    $self: '3.2 enforced',
    info: 'documented Info',
    jsonSchemaDialect: 'enforced',
    servers: 'enforced [Server]',
    paths: 'enforced Paths',
    webhooks: 'documented {PathItem}',
    components: 'enforced Components',
    security: 'enforced [SecurityRequirement]',
    tags: 'documented [Tag]',
    externalDocs: 'documented ExternalDocumentation',
  },
  Info: {
    title: 'documented',
    summary: 'documented',
    description: 'documented',
    termsOfService: 'documented',
    contact: 'documented Contact',
    license: 'documented License',
    version: 'documented',
  },
  Contact: { name: 'documented', url: 'documented', email: 'documented' },
  License: { name: 'documented', identifier: 'documented', url: 'documented' },
  Server: {
    url: 'enforced',
    description: 'documented',
    name: '3.2 documented',
    variables: 'enforced {ServerVariable}',
  },
  ServerVariable: { enum: 'enforced', default: 'enforced', description: 'documented' },
  Components: {
    schemas: 'enforced {Schema}',
    responses: 'enforced {Response}',
    parameters: 'enforced {Parameter}',
    examples: 'documented {Example}',
    requestBodies: 'enforced {RequestBody}',
    headers: 'enforced {Header}',
    securitySchemes: 'enforced {SecurityScheme}',
    links: 'documented {Link}',
    callbacks: 'documented {Callback}',
    pathItems: 'enforced {PathItem}',
    mediaTypes: '3.2 enforced {MediaType}',
  },
  Paths: { '^/': 'enforced PathItem' },
  PathItem: {
    $ref: 'enforced',
    summary: 'documented',
    description: 'documented',
    get: 'enforced Operation',
    put: 'enforced Operation',
    post: 'enforced Operation',
    delete: 'enforced Operation',
    options: 'enforced Operation',
    head: 'enforced Operation',
    patch: 'enforced Operation',
    trace: 'enforced Operation',
    query: '3.2 enforced Operation',
    additionalOperations: '3.2 enforced {Operation}',
    servers: 'enforced [Server]',
    parameters: 'enforced [Parameter]',
  },
  Operation: {
    tags: 'documented',
    summary: 'documented',
    description: 'documented',
    externalDocs: 'documented ExternalDocumentation',
    operationId: 'enforced',
    parameters: 'enforced [Parameter]',
    requestBody: 'enforced RequestBody',
    responses: 'enforced Responses',
    callbacks: 'documented {Callback}',
    deprecated: 'documented',
    security: 'enforced [SecurityRequirement]',
    servers: 'enforced [Server]',
    'x-body-limit': 'enforced',
    'x-mcp': 'documented',
    'x-deprecated-since': 'enforced',
    'x-sunset': 'enforced',
  },
  ExternalDocumentation: { description: 'documented', url: 'documented' },
  Parameter: {
    name: 'enforced',
    in: 'enforced',
    description: 'documented',
    required: 'enforced',
    deprecated: 'documented',
    allowEmptyValue: 'unenforced',
    style: 'enforced',
    explode: 'enforced',
    allowReserved: 'documented', // For clients: reserved characters are read with it and without it.
    schema: 'enforced Schema',
    example: 'documented',
    examples: 'documented {Example}',
    content: 'enforced {MediaType}',
  },
  RequestBody: { description: 'documented', content: 'enforced {MediaType}', required: 'enforced' },
  MediaType: {
    schema: 'enforced Schema',
    example: 'documented',
    examples: 'documented {Example}',
    encoding: 'enforced {Encoding}',
    description: '3.2 documented',
    itemSchema: '3.2 enforced Schema',
    prefixEncoding: '3.2 enforced [Encoding]',
    itemEncoding: '3.2 enforced Encoding',
    'x-item-schema': 'enforced Schema',
    'x-stream': 'enforced',
  },
  Encoding: {
    contentType: 'enforced',
    headers: 'enforced {Header}',
    style: 'enforced',
    explode: 'enforced',
    allowReserved: 'enforced', // It makes a style count, as style and explode do.
    encoding: '3.2 unenforced {Encoding}', // Only parts that are multipart themselves have them.
    prefixEncoding: '3.2 unenforced [Encoding]',
    itemEncoding: '3.2 unenforced Encoding',
  },
  Responses: { '^(default|[1-5](\\d\\d|XX))$': 'enforced Response' },
  Response: {
    summary: '3.2 documented',
    description: 'documented',
    headers: 'enforced {Header}',
    content: 'enforced {MediaType}',
    links: 'documented {Link}',
  },
  Callback: { '': 'documented PathItem' },
  Example: {
    summary: 'documented',
    description: 'documented',
    value: 'documented',
    dataValue: '3.2 documented',
    serializedValue: '3.2 documented',
    externalValue: 'documented',
  },
  Link: {
    operationRef: 'documented',
    operationId: 'documented',
    parameters: 'documented',
    requestBody: 'documented',
    description: 'documented',
    server: 'documented Server',
  },
  Header: {
    description: 'documented',
    required: 'enforced',
    deprecated: 'documented',
    style: 'enforced',
    explode: 'enforced',
    schema: 'enforced Schema',
    example: 'documented',
    examples: 'documented {Example}',
    content: 'enforced {MediaType}',
  },
  Tag: {
    name: 'documented',
    summary: '3.2 documented',
    description: 'documented',
    externalDocs: 'documented ExternalDocumentation',
    parent: '3.2 documented',
    kind: '3.2 documented',
  },
  Reference: { $ref: 'enforced', summary: 'documented', description: 'documented' },
  Schema: {
    // JSON Schema core
    $id: 'refused',
    $schema: 'enforced',
    $ref: 'enforced',
    $anchor: 'enforced',
    $dynamicRef: 'refused',
    $dynamicAnchor: 'refused',
    $vocabulary: 'unenforced',
    $comment: 'documented',
    $defs: 'enforced {Schema}',
    // applicator
    prefixItems: 'enforced [Schema]',
    items: 'enforced Schema',
    contains: 'enforced Schema',
    additionalProperties: 'enforced Schema',
    properties: 'enforced {Schema}',
    patternProperties: 'enforced {Schema}',
    dependentSchemas: 'enforced {Schema}',
    propertyNames: 'enforced Schema',
    if: 'enforced Schema',
    then: 'enforced Schema',
    else: 'enforced Schema',
    allOf: 'enforced [Schema]',
    anyOf: 'enforced [Schema]',
    oneOf: 'enforced [Schema]',
    not: 'enforced Schema',
    // unevaluated
    unevaluatedItems: 'enforced Schema',
    unevaluatedProperties: 'enforced Schema',
    // validation
    type: 'enforced',
    const: 'enforced',
    enum: 'enforced',
    multipleOf: 'enforced',
    maximum: 'enforced',
    exclusiveMaximum: 'enforced',
    minimum: 'enforced',
    exclusiveMinimum: 'enforced',
    maxLength: 'enforced',
    minLength: 'enforced',
    pattern: 'enforced',
    maxItems: 'enforced',
    minItems: 'enforced',
    uniqueItems: 'enforced',
    maxContains: 'enforced',
    minContains: 'enforced',
    maxProperties: 'enforced',
    minProperties: 'enforced',
    required: 'enforced',
    dependentRequired: 'enforced',
    // meta-data
    title: 'documented',
    description: 'documented',
    default: 'enforced',
    deprecated: 'documented',
    readOnly: 'enforced',
    writeOnly: 'enforced',
    examples: 'documented',
    // format
    format: 'enforced',
    // content
    contentEncoding: 'unenforced',
    contentMediaType: 'unenforced',
    contentSchema: 'unenforced Schema',
    // removed from JSON Schema, but reserved by its metaschema
    definitions: 'documented {Schema}',
    dependencies: 'unenforced',
    $recursiveAnchor: 'refused',
    $recursiveRef: 'refused',
    // OpenAPI
    discriminator: 'enforced Discriminator',
    xml: 'documented XML',
    externalDocs: 'documented ExternalDocumentation',
    example: 'documented',
  },
  Discriminator: { propertyName: 'enforced', mapping: 'enforced', defaultMapping: '3.2 enforced' },
  XML: {
    nodeType: '3.2 documented',
    name: 'documented',
    namespace: 'documented',
    prefix: 'documented',
    attribute: 'documented',
    wrapped: 'documented',
  },
  SecurityScheme: {
    type: 'enforced',
    description: 'documented',
    name: 'enforced',
    in: 'enforced',
    scheme: 'enforced',
    bearerFormat: 'documented',
    flows: 'enforced OAuthFlows',
    openIdConnectUrl: 'documented',
    oauth2MetadataUrl: '3.2 documented',
    deprecated: '3.2 documented',
  },
  OAuthFlows: {
    implicit: 'enforced OAuthFlow',
    password: 'enforced OAuthFlow',
    clientCredentials: 'enforced OAuthFlow',
    authorizationCode: 'enforced OAuthFlow',
    deviceAuthorization: '3.2 enforced OAuthFlow',
  },
  OAuthFlow: {
    authorizationUrl: 'documented',
    deviceAuthorizationUrl: '3.2 documented',
    tokenUrl: 'documented',
    refreshUrl: 'documented',
    scopes: 'enforced',
  },
  SecurityRequirement: { '': 'enforced' },
} as const;

/** The objects of OpenAPI, by their names in the specification without `Object` and spaces. */
export type Kind = keyof typeof TABLE;
type Content = Kind | `[${Kind}]` | `{${Kind}}`;
type Entry = `${'' | '3.2 '}${Support}${'' | ` ${Content}`}`;

/** The objects that a Reference Object may replace (OpenAPI 3.1 section 4.8.23), since which version. */
const REFERABLE: Readonly<Partial<Record<Kind, Version>>> = {
  Parameter: '3.1',
  RequestBody: '3.1',
  Response: '3.1',
  Callback: '3.1',
  Example: '3.1',
  Link: '3.1',
  Header: '3.1',
  SecurityScheme: '3.1',
  MediaType: '3.2',
};

/** Values of a keyword that mean the same as its absence. */
const DEFAULTS: ReadonlyMap<string, unknown> = new Map([['Parameter allowEmptyValue', false]]);

/** The entry of a keyword. */
export interface Keyword {
  readonly support: Support;
  readonly since: Version;
  /** The objects in its value; undefined for data. */
  readonly holds: { readonly kind: Kind; readonly as: 'one' | 'list' | 'map' } | undefined;
  /** A value that means the same as the absence of the keyword. */
  readonly default: unknown;
}

/** The entry of an object of OpenAPI. */
export interface ObjectKind {
  readonly name: Kind;
  /** Since which version a Reference Object may replace it; undefined: it may not. */
  readonly referable: Version | undefined;
  readonly keywords: ReadonlyMap<string, Keyword>;
  /** For objects that are maps, such as Paths: the names, and the entry of the values. */
  readonly others: { readonly names: RegExp; readonly keyword: Keyword } | undefined;
}

function keywordOf(kind: string, name: string, entry: Entry): Keyword {
  const [, later, support, open = '', holds] = /^(3\.2 )?(\w+)(?: ([[{]?)(\w+)[\]}]?)?$/.exec(entry) ?? [];
  const as = open === '[' ? 'list' : open === '{' ? 'map' : 'one';
  return {
    support: support as Support,
    since: later === undefined ? '3.1' : '3.2',
    holds: holds === undefined ? undefined : { kind: holds as Kind, as },
    default: DEFAULTS.get(`${kind} ${name}`),
  };
}

/** The table, by the names of the objects of OpenAPI without their spaces. */
export const OBJECTS: ReadonlyMap<Kind, ObjectKind> = new Map(
  Object.entries<Readonly<Record<string, Entry>>>(TABLE).map(([key, fields]) => {
    const name = key as Kind;
    const all = Object.entries(fields);
    const patterned = ['Paths', 'Responses', 'Callback', 'SecurityRequirement'].includes(name)
      ? all[0]
      : undefined;
    const keywords = all.map(([keyword, entry]) => [keyword, keywordOf(name, keyword, entry)] as const);
    const kind: ObjectKind = {
      name,
      referable: REFERABLE[name],
      keywords: new Map(patterned ? [] : keywords),
      others: patterned && {
        names: new RegExp(patterned[0]),
        keyword: keywordOf(name, patterned[0], patterned[1]),
      },
    };
    return [name, kind];
  }),
);
