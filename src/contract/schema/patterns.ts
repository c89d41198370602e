import { joinPointer, type JsonObject, members, type OpenApiDocument } from '../document/document';
import { UnsupportedPattern } from '../pattern/automaton';
import { compilePattern } from '../pattern/pattern';

/** Finds the patterns of the schema at `pointer` that cannot be matched. */
export function checkPatterns(document: OpenApiDocument, schema: JsonObject, pointer: string): void {
  const { pattern } = schema;
  if (typeof pattern === 'string') checkPattern(document, pattern, joinPointer(pointer, 'pattern'));
  for (const [name] of members(schema['patternProperties'])) {
    checkPattern(document, name, joinPointer(pointer, 'patternProperties', name));
  }
}

function checkPattern(document: OpenApiDocument, source: string, pointer: string): void {
  try {
    compilePattern(source);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const reason = error instanceof UnsupportedPattern ? error.message : `is not valid: ${error.message}`;
    document.addFinding(pointer, reason);
  }
}
