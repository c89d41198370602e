/**
 * Names that a program may take for something else: falsy, inherited by every object, keywords of a schema, indexes, and the
 * syntax of JavaScript, of JSON pointers, of URLs and of patterns.
 */
export const NAMES = [
  ...[
    '',
    '0',
    '-1',
    'length',
    'then',
    'constructor',
    'toString',
    'toJSON',
    'hasOwnProperty',
    'valueOf',
    'null',
  ],
  ...['$ref', '$id', '$anchor', 'type', 'default', '~', '/', '~1', '%25', '#', '.', ',', ' ', '"', "'", '\\'],
  ...[
    '`',
    '${a}',
    '*/',
    '//',
    '[b]',
    'a=b',
    '&',
    '\n',
    '\0',
    '\u2028',
    '\ufeff',
    'e\u0301',
    '😀',
    'x'.repeat(1_000),
  ],
];
