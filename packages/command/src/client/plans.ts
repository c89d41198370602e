/** Derives what a client needs to know of each operation at run time. */
import {
  Codecs,
  essenceOf,
  isJson,
  isObject,
  joinPointer,
  type MediaTypeObject,
  members,
  type OpenApiDocument,
  type Parameter,
  readOperations,
  styleOf,
} from 'contract-first-server/tools';
import { DescribedValue, type JsonObject, type Operation, securitySchemes } from 'contract-first-server';
import type * as plan from './runtime/plan';
import { Shapes } from './shapes';

const KINDS: ReadonlyMap<string, plan.Media['kind']> = new Map([
  ['JSON', 'json'],
  ['form', 'form'],
  ['multipart', 'multipart'],
  ['text', 'text'],
  ['lines of JSON', 'lines'],
  ['event stream', 'events'],
]);

export function plansOf(document: OpenApiDocument): plan.Plans {
  const reader = new PlanReader(document);
  const operations = readOperations(document).map((one) => reader.operation(one));
  const schemes = securitySchemes(document).map(({ name, kind, value }) => [name, schemeOf(kind, value)]);
  return {
    operations,
    schemes: Object.fromEntries(schemes) as plan.Plans['schemes'],
    shapes: reader.shapes.all,
  };
}

function schemeOf(kind: string | undefined, { type, scheme, in: place, name }: JsonObject): plan.Scheme {
  if (kind === 'apiKey') return { kind, in: String(place), name: String(name) };
  if (type === 'mutualTLS') return { kind: 'connection' };
  if (kind === 'basic') return { kind, name: 'Basic' };
  return { kind: 'bearer', name: kind === 'bearer' ? 'Bearer' : String(scheme) };
}

class PlanReader {
  readonly shapes: Shapes;
  private readonly codecs = new Codecs();

  constructor(private readonly document: OpenApiDocument) {
    this.shapes = new Shapes(document);
  }

  operation({
    operationId,
    method,
    paths,
    parameters,
    requestBody,
    responses,
    security,
  }: Operation): plan.Operation {
    return {
      id: operationId,
      method,
      path: (paths[0] ?? '').replace(/[^{}]+|\{[^{}]*\}/g, (text) =>
        text.startsWith('{') ? text : encoded(text),
      ),
      parameters: parameters.map((one) => ({
        name: one.name,
        in: one.in,
        style: one.style,
        explode: one.explode,
        ...(one.json ? { json: true } : one.content && !isForm(one.content) && { isText: true }),
        ...((one.required || this.hasDefault(one.schemaPointer)) && { isTelling: true }),
        ...(one.content && isForm(one.content) && { parts: this.parts(one.content) }),
      })),
      bodies: (requestBody?.content ?? []).map((media) => this.media(media, 'request')),
      responses: Object.fromEntries(
        [...responses].map(([status, { headers, content }]) => [
          status,
          {
            headers: headers.map((header) => this.header(header)),
            content: content.map((media) => this.media(media, 'response')),
          },
        ]),
      ),
      security: security.map((alternative) => alternative.map(({ scheme }) => scheme)),
    };
  }

  private hasDefault(pointer: string | undefined): boolean {
    return (
      pointer !== undefined &&
      this.document.subschemas.certain(pointer).some(({ value }) => 'default' in value)
    );
  }

  private media(media: MediaTypeObject, direction: 'request' | 'response'): plan.Media {
    const { document } = this;
    const { key, type, schema, items, pointer } = media;
    const known = KINDS.get(this.codecs.of({ ...media, document }).name) ?? 'binary';
    const kind = known === 'lines' && /[/+]json-seq$/.test(type.essence) ? 'records' : known;
    if (direction === 'response') return { key, kind, ...this.text(items ?? schema, kind === 'text') };
    if (kind === 'multipart' && type.essence !== 'multipart/form-data') {
      const list = DescribedValue.at(document, schema);
      const encodings = [document.at(joinPointer(pointer, 'prefixEncoding')) ?? []].flat();
      const described = list.schemas().map(({ prefixItems }) => [prefixItems ?? []].flat().length);
      const count = Math.max(encodings.length, ...described);
      const rest = document.at(joinPointer(pointer, 'itemEncoding'));
      return {
        key,
        kind,
        positions: Array.from({ length: count + 1 }, (_, i) => partOf(encodings[i] ?? rest)),
      };
    }
    if (kind !== 'form' && kind !== 'multipart') return { key, kind };
    return { key, kind, parts: this.parts(media) };
  }

  /** How the properties of a form are written that are not written by the kind of their value. */
  private parts({ pointer, schema }: MediaTypeObject): Readonly<Record<string, plan.Part>> {
    const { document } = this;
    const form = DescribedValue.at(document, schema);
    const encodings = new Map(members(document.at(joinPointer(pointer, 'encoding'))));
    const parts = [...new Set([...form.propertyNames(), ...encodings.keys()])].map((name) => {
      const encoding = encodings.get(name);
      const style = styleOf(form.property(name), isObject(encoding) ? encoding : {});
      return [name, style ?? partOf(encoding)] as const;
    });
    return Object.fromEntries(parts.filter(([, part]) => Object.keys(part).length > 0));
  }

  private text(pointer: string | undefined, isText = true): plan.Text {
    const shape = this.shapes.of(pointer);
    const types = isText ? DescribedValue.at(this.document, pointer).types() : undefined;
    return { ...(types && { types }), ...(shape !== undefined && { shape }) };
  }

  private header({ name, explode, json, schemaPointer }: Parameter): plan.Header {
    const value = DescribedValue.at(this.document, schemaPointer);
    const own = value.types() ?? [];
    const items = own.includes('array') ? (value.item(0).types() ?? []) : undefined;
    const members = own.includes('object')
      ? Object.fromEntries(value.propertyNames().map((key) => [key, value.property(key).types() ?? []]))
      : undefined;
    const parts = { ...(items && { items }), ...(members && { members }) };
    return { name, explode, ...(json ? { json } : parts), ...this.text(schemaPointer) };
  }
}

const isForm = ({ type }: MediaTypeObject): boolean => type.essence === 'application/x-www-form-urlencoded';

/** How a part without a style is written, by its Encoding Object: what has none is written by the kind of its value. */
function partOf(given: unknown): plan.Part {
  const { contentType } = isObject(given) ? given : {};
  if (typeof contentType !== 'string') return {};
  const types = contentType.split(',').map((type) => type.trim());
  const type = types.find((one) => !one.includes('*'));
  return { json: types.every((one) => isJson(essenceOf(one))), ...(type !== undefined && { type }) };
}

/** A text of a path, percent-encoded. */
export const encoded = (text: string): string =>
  text.toWellFormed().replace(/%(?![\da-f]{2})|[^!-~]+|[?#]/gi, encodeURIComponent);
