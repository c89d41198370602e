import { curlCommand, exampleRequest, messageOf, type Operation } from 'contract-first-server';
import { type OpenApiDocument } from 'contract-first-server/tools';

/** What curl does that a person may not know by heart: send a form with files, send a file, print a stream as it comes. */
const OPTIONS = ['-F', '--data-binary', '-N'];

/** A command for the first operation that needs each of these options; the secret is to be put in. */
export function curlLines(document: OpenApiDocument, operations: readonly Operation[]): string[] {
  const requests = operations.flatMap((operation) => exampleRequest(document, [operation]) ?? []);
  const found = OPTIONS.map((option) => requests.find(({ options = [] }) => options.includes(option)));
  return [...new Set(found)].flatMap((request) =>
    request ? [curlCommand('http://127.0.0.1:3000', messageOf(request, 'SECRET'))] : [],
  );
}
