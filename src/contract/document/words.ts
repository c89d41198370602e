/**
 * The table of words: each fixed field of each object of OpenAPI 3.1.1 (https://spec.openapis.org/oas/v3.1.1.html) and each
 * keyword of JSON Schema 2020-12 with the fields that OpenAPI adds to it, with its fate in this server:
 *
 * - `enforced`: it changes what is accepted, answered or served.
 * - `carried`: an annotation. It is published, and changes nothing at run time.
 * - `refused`: a document that has it is not served.
 * - `remarked`: it is not enforced. Each place of it is a remark.
 *
 * A word that is not in the table is a remark if the specification ignores it (in a schema, beside the `$ref` of a Reference
 * Object), and otherwise a finding, because it makes the document invalid. Names that begin with `x-` are carried.
 *
 * After the fate comes the content of the value: an object (`Info`), a list of them (`[Server]`) or a map of them
 * (`{Schema}`). A value without it is data: nothing in it is a schema or a reference.
 */
export type Fate = 'enforced' | 'carried' | 'refused' | 'remarked';

/** The objects of OpenAPI 3.1, by their names in the specification without `Object` and spaces. */
type Kind =
  | 'OpenAPI'
  | 'Info'
  | 'Contact'
  | 'License'
  | 'Server'
  | 'ServerVariable'
  | 'Components'
  | 'Paths'
  | 'PathItem'
  | 'Operation'
  | 'ExternalDocumentation'
  | 'Parameter'
  | 'RequestBody'
  | 'MediaType'
  | 'Encoding'
  | 'Responses'
  | 'Response'
  | 'Callback'
  | 'Example'
  | 'Link'
  | 'Header'
  | 'Tag'
  | 'Reference'
  | 'Schema'
  | 'Discriminator'
  | 'XML'
  | 'SecurityScheme'
  | 'OAuthFlows'
  | 'OAuthFlow'
  | 'SecurityRequirement';
type Content = Kind | `[${Kind}]` | `{${Kind}}`;
type Entry = Fate | `${Fate} ${Content}`;

/** The objects that a Reference Object may replace (OpenAPI 3.1 section 4.8.23). */
const REFERABLE: readonly Kind[] = [
  'Parameter',
  'RequestBody',
  'Response',
  'Callback',
  'Example',
  'Link',
  'Header',
  'SecurityScheme',
];

const TABLE: Readonly<Record<Kind, Readonly<Record<string, Entry>>>> = {
  OpenAPI: {
    openapi: 'enforced',
    info: 'carried Info',
    jsonSchemaDialect: 'enforced',
    servers: 'enforced [Server]',
    paths: 'enforced Paths',
    webhooks: 'carried {PathItem}',
    components: 'enforced Components',
    security: 'enforced [SecurityRequirement]',
    tags: 'carried [Tag]',
    externalDocs: 'carried ExternalDocumentation',
  },
  Info: {
    title: 'carried',
    summary: 'carried',
    description: 'carried',
    termsOfService: 'carried',
    contact: 'carried Contact',
    license: 'carried License',
    version: 'carried',
  },
  Contact: { name: 'carried', url: 'carried', email: 'carried' },
  License: { name: 'carried', identifier: 'carried', url: 'carried' },
  Server: { url: 'enforced', description: 'carried', variables: 'enforced {ServerVariable}' },
  ServerVariable: { enum: 'enforced', default: 'enforced', description: 'carried' },
  Components: {
    schemas: 'enforced {Schema}',
    responses: 'enforced {Response}',
    parameters: 'enforced {Parameter}',
    examples: 'carried {Example}',
    requestBodies: 'enforced {RequestBody}',
    headers: 'enforced {Header}',
    securitySchemes: 'enforced {SecurityScheme}',
    links: 'carried {Link}',
    callbacks: 'carried {Callback}',
    pathItems: 'enforced {PathItem}',
  },
  Paths: { '^/': 'enforced PathItem' },
  PathItem: {
    $ref: 'enforced',
    summary: 'carried',
    description: 'carried',
    get: 'enforced Operation',
    put: 'enforced Operation',
    post: 'enforced Operation',
    delete: 'enforced Operation',
    options: 'enforced Operation',
    head: 'enforced Operation',
    patch: 'enforced Operation',
    trace: 'enforced Operation',
    servers: 'enforced [Server]',
    parameters: 'enforced [Parameter]',
  },
  Operation: {
    tags: 'carried',
    summary: 'carried',
    description: 'carried',
    externalDocs: 'carried ExternalDocumentation',
    operationId: 'enforced',
    parameters: 'enforced [Parameter]',
    requestBody: 'enforced RequestBody',
    responses: 'enforced Responses',
    callbacks: 'carried {Callback}',
    deprecated: 'carried',
    security: 'enforced [SecurityRequirement]',
    servers: 'enforced [Server]',
  },
  ExternalDocumentation: { description: 'carried', url: 'carried' },
  Parameter: {
    name: 'enforced',
    in: 'enforced',
    description: 'carried',
    required: 'enforced',
    deprecated: 'carried',
    allowEmptyValue: 'remarked',
    style: 'enforced',
    explode: 'enforced',
    allowReserved: 'carried', // For clients: reserved characters are read with it and without it.
    schema: 'enforced Schema',
    example: 'carried',
    examples: 'carried {Example}',
    content: 'enforced {MediaType}',
  },
  RequestBody: { description: 'carried', content: 'enforced {MediaType}', required: 'enforced' },
  MediaType: {
    schema: 'enforced Schema',
    example: 'carried',
    examples: 'carried {Example}',
    encoding: 'enforced {Encoding}',
  },
  Encoding: {
    contentType: 'enforced',
    headers: 'remarked {Header}', // Only parts of multipart bodies have headers.
    style: 'enforced',
    explode: 'enforced',
    allowReserved: 'enforced', // It makes a style count, as style and explode do.
  },
  Responses: { '^(default|[1-5](\\d\\d|XX))$': 'enforced Response' },
  Response: {
    description: 'carried',
    headers: 'enforced {Header}',
    content: 'enforced {MediaType}',
    links: 'carried {Link}',
  },
  Callback: { '': 'carried PathItem' },
  Example: { summary: 'carried', description: 'carried', value: 'carried', externalValue: 'carried' },
  Link: {
    operationRef: 'carried',
    operationId: 'carried',
    parameters: 'carried',
    requestBody: 'carried',
    description: 'carried',
    server: 'carried Server',
  },
  Header: {
    description: 'carried',
    required: 'enforced',
    deprecated: 'carried',
    style: 'enforced',
    explode: 'enforced',
    schema: 'enforced Schema',
    example: 'carried',
    examples: 'carried {Example}',
    content: 'enforced {MediaType}',
  },
  Tag: { name: 'carried', description: 'carried', externalDocs: 'carried ExternalDocumentation' },
  Reference: { $ref: 'enforced', summary: 'carried', description: 'carried' },
  Schema: {
    // JSON Schema core
    $id: 'refused',
    $schema: 'enforced',
    $ref: 'enforced',
    $anchor: 'enforced',
    $dynamicRef: 'refused',
    $dynamicAnchor: 'refused',
    $vocabulary: 'remarked',
    $comment: 'carried',
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
    title: 'carried',
    description: 'carried',
    default: 'enforced',
    deprecated: 'carried',
    readOnly: 'enforced',
    writeOnly: 'enforced',
    examples: 'carried',
    // format
    format: 'enforced',
    // content
    contentEncoding: 'remarked',
    contentMediaType: 'remarked',
    contentSchema: 'remarked Schema',
    // removed from JSON Schema, but reserved by its metaschema
    definitions: 'carried {Schema}',
    dependencies: 'remarked',
    $recursiveAnchor: 'refused',
    $recursiveRef: 'refused',
    // OpenAPI
    discriminator: 'enforced Discriminator',
    xml: 'carried XML',
    externalDocs: 'carried ExternalDocumentation',
    example: 'carried',
  },
  Discriminator: { propertyName: 'enforced', mapping: 'enforced' },
  XML: {
    name: 'carried',
    namespace: 'carried',
    prefix: 'carried',
    attribute: 'carried',
    wrapped: 'carried',
  },
  SecurityScheme: {
    type: 'enforced',
    description: 'carried',
    name: 'enforced',
    in: 'enforced',
    scheme: 'enforced',
    bearerFormat: 'carried',
    flows: 'enforced OAuthFlows',
    openIdConnectUrl: 'carried',
  },
  OAuthFlows: {
    implicit: 'enforced OAuthFlow',
    password: 'enforced OAuthFlow',
    clientCredentials: 'enforced OAuthFlow',
    authorizationCode: 'enforced OAuthFlow',
  },
  OAuthFlow: {
    authorizationUrl: 'carried',
    tokenUrl: 'carried',
    refreshUrl: 'carried',
    scopes: 'enforced',
  },
  SecurityRequirement: { '': 'enforced' },
};

/** Values of a word that mean the same as its absence. */
const DEFAULTS: ReadonlyMap<string, unknown> = new Map([['Parameter allowEmptyValue', false]]);

/** The entry of a word. */
export interface Word {
  readonly fate: Fate;
  /** The objects in its value; undefined for data. */
  readonly holds: { readonly kind: Kind; readonly as: 'one' | 'list' | 'map' } | undefined;
  /** A value that means the same as the absence of the word. */
  readonly default: unknown;
}

/** The entry of an object of OpenAPI. */
export interface ObjectKind {
  readonly name: Kind;
  readonly referable: boolean;
  readonly words: ReadonlyMap<string, Word>;
  /** For objects that are maps, such as Paths: the names, and the entry of the values. */
  readonly others: { readonly names: RegExp; readonly word: Word } | undefined;
}

function wordOf(kind: string, name: string, entry: Entry): Word {
  const [, fate, open = '', holds] = /^(\w+)(?: ([[{]?)(\w+)[\]}]?)?$/.exec(entry) ?? [];
  const as = open === '[' ? 'list' : open === '{' ? 'map' : 'one';
  return {
    fate: fate as Fate,
    holds: holds === undefined ? undefined : { kind: holds as Kind, as },
    default: DEFAULTS.get(`${kind} ${name}`),
  };
}

/** The table, by the names of the objects of OpenAPI without their spaces. */
export const OBJECTS: ReadonlyMap<Kind, ObjectKind> = new Map(
  Object.entries(TABLE).map(([key, fields]) => {
    const name = key as Kind;
    const all = Object.entries(fields);
    const patterned = ['Paths', 'Responses', 'Callback', 'SecurityRequirement'].includes(name)
      ? all[0]
      : undefined;
    const words = all.map(([word, entry]) => [word, wordOf(name, word, entry)] as const);
    const kind: ObjectKind = {
      name,
      referable: REFERABLE.includes(name),
      words: new Map(patterned ? [] : words),
      others: patterned && {
        names: new RegExp(patterned[0]),
        word: wordOf(name, patterned[0], patterned[1]),
      },
    };
    return [name, kind];
  }),
);

export type { Kind };
