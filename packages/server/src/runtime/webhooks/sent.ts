import { readFileSync } from 'node:fs';
import { compileSent, type Extensions, readDocument, type Sendable } from '../../contract';
import { OpenApiDocument } from '../../contract/tools';

/** @throws {InvalidContract} with all findings, each with its JSON pointer */
export type CompileSent = (file: string, extensions: Extensions) => ReadonlyMap<string, Sendable>;

/** Compiles what the document in a file sends, and again only if the document or the extensions differ from the last ones. */
export function sentCompiler(): CompileSent {
  let last: { readonly of: readonly unknown[]; readonly sendables: ReturnType<CompileSent> } | undefined;
  return (file, extensions) => {
    const text = readFileSync(file, 'utf8');
    const of = [text, extensions.formats, extensions.codecs];
    if (!last?.of.every((each, i) => each === of[i]))
      last = { of, sendables: compileSent(new OpenApiDocument(readDocument(text)), extensions) };
    return last.sendables;
  };
}
