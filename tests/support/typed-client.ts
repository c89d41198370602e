import createClient, { type Client, type Middleware } from 'openapi-fetch';
import {
  Codecs,
  type Holder,
  type JsonObject,
  OpenApiDocument,
  parseJson,
  parseMediaType,
  readOperations,
  SchemaSet,
  stringifyJson,
} from '../../src/contract';
import { Shapes } from '../../src/contract/schema/shapes';

/**
 * A client with the types that `make generate` writes. Those have a bigint for each int64: this client sends bigints in
 * full and reads them exactly, where JSON.stringify would fail and JSON.parse would round.
 */
export function createTypedClient<Paths extends object>(
  baseUrl: string,
  document: JsonObject,
  headers: Record<string, string> = {},
): Client<Paths> {
  const client = createClient<Paths>({
    baseUrl,
    headers,
    bodySerializer: (body: unknown) => stringifyJson(body),
  });
  client.use(exactResponses(new OpenApiDocument(document)));
  return client;
}

/** Reads JSON responses exactly, and turns what their schemas call an int64 into a bigint. */
function exactResponses(document: OpenApiDocument): Middleware {
  const operations = readOperations(document);
  const codecs = new Codecs();
  // No branch is asked for: where any schema calls a number an int64, it is one.
  const shapes = new Shapes(new SchemaSet(document, 'request'), 'request', () => () => true);
  return {
    async onResponse({ request, response, schemaPath }) {
      const operation = operations.find(
        ({ method, paths }) => method === request.method && paths.some((path) => path.endsWith(schemaPath)),
      );
      const documented = operation?.responses.get(String(response.status));
      const type = parseMediaType(response.headers.get('Content-Type') ?? '');
      const media = type && codecs.cover(codecs.coded(document, documented?.content ?? []), type);
      if (media?.codec.name !== 'JSON' || media.schema === undefined) return undefined;
      const holder: Holder = {};
      parseJson(await response.clone().text(), holder, 'body');
      shapes.converter(media.schema)?.(holder, 'body');
      return Object.assign(response, { json: () => Promise.resolve(holder['body']) });
    },
  };
}
