/** Generates the types of a document. The only file that knows openapi-typescript. */
import {
  astToString,
  type GlobalContext,
  type OpenAPI3,
  resolveRef,
  type SchemaObject,
  scanDiscriminators,
  type TransformNodeOptions,
  transformSchema,
  transformSchemaObject,
} from 'openapi-typescript';
import ts from 'typescript';
import {
  type Codecs,
  isInt64,
  isObject,
  joinPointer,
  OpenApiDocument,
  readOperations,
  walk,
  writeDocument,
} from 'contract-first-server/tools';
import { type JsonObject, type Remark } from 'contract-first-server';
import { SourceError } from '../source/read-file';
import { stepsOf, valueAt } from '../source/values';
import { TYPE, type View } from './body-types';
import { splitByDirection } from './directions';
import { plainSchemas, SCHEMAS } from './plain-schemas';
import { withSent } from './sent';
import { withLaterTypes, withRecursion } from './type-nodes';
import { typedDocument } from './typed-document';

/** `Omit` of the standard library has neither the listed properties beside an index signature nor the branches of a union. */
const OMIT = 'type Omit<T, K extends PropertyKey> = { [P in keyof T as P extends K ? never : P]: T[P] };\n';

const { factory } = ts;

export interface Types {
  /** The content of generated/openapi.d.ts. */
  readonly text: string;
  /** The schemas for which no type was found: it is `unknown`. */
  readonly untyped: readonly Remark[];
}

/**
 * The types of a document with int64 as bigint, and the security requirements of each operation.
 *
 * @param codecs those of the service
 * @param view of the handlers, or of a client: its requests lack defaults, and its bodies are what fetch takes and gives
 * @throws {SourceError} if there are none
 */
export function typesOf(described: OpenApiDocument, codecs?: Codecs, view?: View): Types {
  const { text, untyped } = generateTypes(
    splitByDirection(withSent(new OpenApiDocument(typedDocument(described))), codecs, view),
  );
  const operations = new Map(readOperations(described).map((one) => [one.operationId, one]));
  const requirements = [...operations.values()].map(({ operationId, security }) => {
    const alternatives = security.map((schemes) =>
      JSON.stringify(Object.fromEntries(schemes.map(({ scheme, scopes }) => [scheme, scopes]))),
    );
    return `    ${JSON.stringify(operationId)}: ${alternatives.join(' | ') || 'never'};\n`;
  });
  return {
    untyped,
    text: `/**
 * Made by \`make generate\` from openapi/. Do not edit: change the document instead.
 */

${text}
/** The security requirements of each operation: alternatives, each with its schemes and their scopes. */
export interface security {
${requirements.join('')}}
`,
  };
}

/**
 * The types of a prepared document: all that another generator would have to do.
 *
 * It writes the interfaces `paths`, `webhooks`, `components` and `operations`. An operation has `parameters` (`path`, `query`,
 * `header`, `cookie`), `requestBody` and, by status, `responses`; these have `headers`, and `content` by media type. What is
 * not required is optional. An object without listed properties is open; one with some has an index signature if
 * `additionalProperties` is a schema or true. An integer with the format int64 is a bigint. A schema with the keyword `TYPE`
 * is that type of TypeScript, with the type of its `items` as argument. The property of a discriminator has the names of its
 * mapping. A description is a comment.
 *
 * packages/command/tests/verbs/assignable-types.slow.test.ts and typed-documents.slow.test.ts hold a generator to it.
 *
 * @param prepared a document in words of OpenAPI 3.1 (`typedDocument`), each of whose schemas has one direction
 * (`splitByDirection`). All references lead to components of the document. It is changed.
 * @throws {SourceError} if there are none
 */
export function generateTypes(prepared: JsonObject): Types {
  const circular = plainSchemas(prepared);
  const text = writeDocument(prepared);
  // It decodes % in the names of operations and paths before it calls any hook, and assigns to the property `__proto__` of an
  // object: so it may see neither. types.test.ts fails once it takes both.
  const mark = unusedMark(text);
  const [percent, proto] = [`!${mark}`, `__proto${mark}__`];
  const marked = text.replaceAll('%', percent).replaceAll('__proto__', proto);
  const unmarked = (written: string) => written.replaceAll(percent, '%').replaceAll(proto, '__proto__');
  // It knows doubles only.
  const read = () => JSON.parse(marked) as OpenAPI3;
  const untyped = new Set<string>();
  const nodes = nodesOf(read()) ?? nodesOf(withoutUntyped(read(), untyped));
  if (!nodes) throw new SourceError('could not generate types for this document');
  const written = unmarked(astToString(withRecursion(withLaterTypes(nodes))));
  return {
    text: written.includes('Omit<') ? `${written}${OMIT}` : written,
    untyped: [...circular, ...[...untyped].map(unmarked)].map((pointer) => ({
      pointer,
      message: 'could not generate a type for it: its values are unknown',
      keyword: 'types',
    })),
  };
}

/** Letters that a text does not have. */
function unusedMark(text: string): string {
  let mark = 'Own';
  while (text.includes(mark)) mark += 'n';
  return mark;
}

/** The types of a document; undefined if a part of it has none. It may be changed. */
function nodesOf(document: OpenAPI3, context?: GlobalContext): ts.Node[] | undefined {
  try {
    return transformSchema(document, { ...(context ?? contextOf(document)), injectFooter: [] });
  } catch {
    return undefined;
  }
}

/**
 * The options of openapi-typescript; the others are off. It is given the parsed document: its own reader, which the others
 * configure, would follow references to files and hosts.
 */
function contextOf(document: OpenAPI3): GlobalContext {
  const context: Partial<GlobalContext> = {
    // A request has its defaults by splitByDirection(), a response may lack them.
    defaultNonNullable: false,
    discriminators: scanDiscriminators(document, { silent: true }),
    emptyObjectsUnknown: true, // an object without listed properties is open
    injectFooter: [],
    silent: true,
    transform,
    // It would write WithRequired, which does not compile for a union; plainSchemas() lists what is required.
    resolve: (ref) =>
      ref.startsWith(`#${SCHEMAS}/`) ? undefined : resolveRef(document, ref, { silent: true }),
  };
  return context as GlobalContext;
}

function transform(schema: object, options: TransformNodeOptions): ts.TypeNode | undefined {
  if (!isObject(schema)) return undefined;
  const { [TYPE]: name, type, items, prefixItems } = schema;
  const typeOf = (one: unknown) => transformSchemaObject(one as SchemaObject, options);
  if (typeof name === 'string')
    return factory.createTypeReferenceNode(name, items === undefined ? [] : [typeOf(items)]);
  if (Array.isArray(type)) return undefined; // It comes again with each of them.
  if (isInt64(schema)) return factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
  if (type !== 'array' || (prefixItems === undefined && items !== false)) return undefined;
  // A list may be shorter, unless there are minItems, and longer, unless there are no other items.
  const first = [prefixItems ?? []].flat().map((item: unknown, i) => {
    const node = typeOf(item);
    return i < Number(schema['minItems'] ?? 0) ? node : factory.createOptionalTypeNode(node);
  });
  const others = factory.createRestTypeNode(factory.createArrayTypeNode(typeOf(items ?? true)));
  return factory.createTupleTypeNode(items === false ? first : [...first, others]);
}

/**
 * Opens the schemas of each component and path item that has no types alone.
 *
 * @param untyped gets their pointers
 */
function withoutUntyped(document: OpenAPI3, untyped: Set<string>): OpenAPI3 {
  const opened = structuredClone(document);
  const context = contextOf(document);
  const parts = new Map<string, string[]>();
  walk(
    { pointer: '', value: opened, expected: 'OpenAPI', documented: false },
    ({ pointer, kind, outermost }) => {
      const [part] = /^\/components\/[^/]+\/[^/]+|^\/(?:paths|webhooks)\/[^/]+/.exec(pointer) ?? [];
      if (kind === 'Schema' && outermost && part !== undefined)
        parts.set(part, [...(parts.get(part) ?? []), pointer]);
    },
  );
  for (const [part, schemas] of parts) {
    const alone = stepsOf(part).reduceRight<unknown>(
      (inner, step) => ({ [step]: inner }),
      valueAt(opened, part),
    );
    if (nodesOf({ openapi: '3.1.0', info: opened.info, ...(alone as object) }, context)) continue;
    for (const pointer of schemas) {
      const steps = stepsOf(pointer);
      const holder = valueAt(opened, joinPointer('', ...steps.slice(0, -1)));
      if (typeof holder === 'object' && holder !== null) Reflect.set(holder, steps.at(-1) ?? '', {});
      untyped.add(pointer);
    }
  }
  return opened;
}
