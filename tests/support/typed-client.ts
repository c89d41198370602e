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
 * A client with the types that `make generate` writes, in which int64 is bigint. It sends and reads bigints exactly,
 * which JSON.stringify and JSON.parse cannot.
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

/** Reads JSON responses exactly, and converts each int64 of their schemas to a bigint. */
function exactResponses(document: OpenApiDocument): Middleware {
  const operations = readOperations(document);
  const codecs = new Codecs();
  // Considers all branches: a number is an int64 if any schema gives it that format.
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
