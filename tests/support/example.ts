import document from '../../generated/openapi.json';
import { exampleRequest, type Message, messageOf, OpenApiDocument, stringifyJson } from '../../src/contract';

/** The example request of the document, with a token. Load tests send it repeatedly with other plants. */
export function exampleMessage(token: string): Message {
  const example = exampleRequest(new OpenApiDocument(document));
  if (!example?.body)
    throw new Error(
      'expected an operation whose body and required parameters have examples in the document, got none',
    );
  return messageOf(example, token);
}

/** The body of the example with some members replaced, as JSON. A member that is undefined is removed. */
export const bodyWith = ({ body = '{}' }: Message, members: object): string =>
  stringifyJson({ ...(JSON.parse(body) as object), ...members });
