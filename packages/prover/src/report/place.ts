import { tokensOf } from '../json/tree';

/** The places whose names follow in the pointer, such as the name of a parameter. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['responses', 'response '],
  ['headers', 'header '],
  ['content', ''],
  ['properties', ''],
  ['patternProperties', 'properties like '],
  ['schemas', 'schema '],
]);
/** Tokens that say no more than those around them. */
const SILENT = /^(?:schema|components|\d+|(?:all|any|one)Of)$/;

/** A place of the document in words: `/paths/~1paintings/post/requestBody/required` is `POST /paintings, requestBody, required`. */
export function placeInWords(pointer: string): string {
  const [root, path = '', ...rest] = tokensOf(pointer);
  const isPath = root === 'paths';
  const tokens = isPath ? rest : tokensOf(pointer);
  const method = isPath && tokens[0] !== 'parameters' ? tokens.shift() : undefined;
  const words = isPath ? [method === undefined ? path : `${method.toUpperCase()} ${path}`] : [];
  while (tokens.length > 0) {
    const token = tokens.shift() ?? '';
    const kind = NAMED.get(token);
    if (kind !== undefined && tokens.length > 0) words.push(kind + (tokens.shift() ?? ''));
    else if (token === 'parameters' && tokens.length > 0)
      words.push(`parameter ${Number(tokens.shift()) + 1}`);
    else if (!SILENT.test(token)) words.push(token);
  }
  return words.join(', ');
}
