import document from '../../generated/openapi.json';
import { exampleRequest, type Message, messageOf, stringifyJson } from '../../src/contract';

/** The document's example of a request, with a token: what loads the server sends it again and again, with other plants. */
export function exampleMessage(token: string): Message {
  const example = exampleRequest(document);
  if (!example?.body)
    throw new Error(
      'expected an operation whose body and required parameters have examples in the document, got none',
    );
  return messageOf(example, token);
}

/** The body of the example with other members, as JSON; a member that is undefined is left out. */
export const bodyWith = ({ body = '{}' }: Message, members: object): string =>
  stringifyJson({ ...(JSON.parse(body) as object), ...members });
