import { _, type default as Ajv, type CodeKeywordDefinition } from 'ajv';

/** The number of characters of a well-formed text (JSON Schema validation, section 6.3). */
export function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xd800) count--;
  return count;
}

/**
 * Replaces ajv's `maxLength` and `minLength`, which count the characters of every text. The number of UTF-16 code units
 * decides for most texts: it is at most twice the number of characters.
 */
export function decideByCodeUnits(ajv: Pick<Ajv, 'getKeyword' | 'removeKeyword' | 'addKeyword'>): void {
  for (const keyword of ['maxLength', 'minLength'] as const) {
    const { error } = ajv.getKeyword(keyword) as CodeKeywordDefinition;
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      keyword,
      type: 'string',
      schemaType: 'number',
      ...(error && { error }),
      code(cxt) {
        const { data, schemaCode: limit } = cxt;
        const count = cxt.gen.scopeValue('func', { ref: countCharacters });
        const exceeds = _`${data}.length > ${limit} && ${count}(${data}) > ${limit}`;
        const falls = _`${data}.length < 2 * ${limit} && ${count}(${data}) < ${limit}`;
        cxt.fail(keyword === 'maxLength' ? exceeds : falls);
      },
    });
  }
}
