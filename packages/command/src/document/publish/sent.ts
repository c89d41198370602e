/** Puts what the server sends in the place of `webhooks`: openapi-typescript does not read callbacks, and leads references astray. */
import { type JsonObject } from 'contract-first-server';
import {
  joinPointer,
  OpenApiDocument,
  type Parameter,
  readSentOperations,
} from 'contract-first-server/tools';

/** A document whose `webhooks` are those of the given one and its callbacks, by name, each as the only `post`, without references. */
export function withSent(document: OpenApiDocument): OpenApiDocument {
  const sent = readSentOperations(document);
  if (sent.length === 0) return document;
  // Copies, because what the server sends has another direction than what it receives.
  const follow = (pointer: string): JsonObject => structuredClone(document.follow(pointer).value);
  const webhooks = sent.map(({ name, operation: { pointer, parameters, requestBody, responses } }) => {
    const of = (field: string) => joinPointer(document.follow(pointer).pointer, field);
    const answers = [...responses.keys()].map((status) => [
      status,
      follow(joinPointer(of('responses'), status)),
    ]);
    const post = {
      parameters: parameters.map((parameter: Parameter) => follow(parameter.pointer)),
      ...(requestBody && { requestBody: follow(of('requestBody')) }),
      responses: Object.fromEntries(answers) as JsonObject,
    };
    return [name, { post }];
  });
  return new OpenApiDocument({ ...document.root, webhooks: Object.fromEntries(webhooks) as JsonObject });
}
