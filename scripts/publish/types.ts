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
  type Remark,
  walk,
  writeDocument,
} from '../../src/contract';
import { SourceError } from '../source/read-file';
import { stepsOf, valueAt } from '../source/values';
import { TYPE, type View } from './body-types';
import { withLaterTypes } from './later-words';
import { splitByDirection } from './directions';
import { typedDocument } from './typed-document';

/** openapi-typescript looks names up in objects that inherit these: it throws for a property `hasOwnProperty`. */
const INHERITED_NAME = new RegExp(`\\b(?:${Object.getOwnPropertyNames(Object.prototype).join('|')})\\b`, 'g');

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
  // openapi-typescript knows doubles only.
  const text = writeDocument(splitByDirection(new OpenApiDocument(typedDocument(described)), codecs, view));
  const mark = unusedMark(text);
  // It would decode the names of paths.
  const percent = `!${mark}`;
  const marked = text.replaceAll(INHERITED_NAME, `$&${mark}`).replaceAll('%', percent);
  const unmarked = (written: string) => written.replaceAll(percent, '%').replaceAll(mark, '');
  const read = () => JSON.parse(marked) as OpenAPI3;
  const untyped = new Set<string>();
  const nodes = nodesOf(read()) ?? nodesOf(withoutUntyped(read(), untyped));
  if (!nodes) throw new SourceError('no types were found for this document');
  const operations = new Map(readOperations(described).map((one) => [one.operationId, one]));
  const requirements = [...operations.values()].map(({ operationId, security }) => {
    const alternatives = security.map((schemes) =>
      JSON.stringify(Object.fromEntries(schemes.map(({ scheme, scopes }) => [scheme, scopes]))),
    );
    return `    ${JSON.stringify(operationId)}: ${alternatives.join(' | ') || 'never'};\n`;
  });
  return {
    untyped: [...untyped].map((pointer) => ({
      pointer: unmarked(pointer),
      message: 'no type was found for it: its values are unknown',
      keyword: 'types',
    })),
    text: `/**
 * Made by \`make generate\` from openapi/. Do not edit: change the document instead.
 */

${unmarked(astToString(withLaterTypes(nodes)))}
/** The security requirements of each operation: alternatives, each with its schemes and their scopes. */
export interface security {
${requirements.join('')}}
`,
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
    resolve: (ref) => resolveRef(document, ref, { silent: true }),
  };
  return context as GlobalContext;
}

function transform(schema: object, options: TransformNodeOptions): ts.TypeNode | undefined {
  if (!isObject(schema)) return undefined;
  const type = schema[TYPE];
  if (typeof type === 'string') {
    const items = 'items' in schema ? [transformSchemaObject(schema['items'] as SchemaObject, options)] : [];
    return ts.factory.createTypeReferenceNode(type, items);
  }
  if (!isInt64(schema)) return undefined;
  const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
  const nullable = [schema['type']].flat().includes('null');
  return nullable
    ? ts.factory.createUnionTypeNode([bigint, ts.factory.createLiteralTypeNode(ts.factory.createNull())])
    : bigint;
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
