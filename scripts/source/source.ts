/** OpenAPI documents as people write them: YAML or JSON, in one file or several, of OpenAPI 3.1 or 3.0. */
import path from 'node:path';
import { type Finding, findingLine, type JsonObject } from '../../src/contract';
import { Bundle } from './bundle';
import { convertTo31 } from './convert';
import { SourceFile } from './source-file';

export { SourceError } from './source-file';

export interface Source {
  /** The document in one piece, with what it refers to in other files. */
  readonly document: JsonObject;
  /** What was converted, and what could not be read exactly: a sentence each. */
  readonly notes: readonly string[];
  /** Where what a pointer leads to was written: `file:line:column`. */
  readonly locate: (pointer: string) => string;
}

/** @throws {SourceError} if a file cannot be read */
export function readSource(file: string): Source {
  const bundle = new Bundle(new SourceFile(path.resolve(file)));
  const converted = convertTo31(bundle.document);
  const inexact = [...bundle.files.values()].flatMap((one) => one.inexactNumbers());
  return {
    document: bundle.document,
    notes: [...(converted === undefined ? [] : [converted]), ...inexact],
    locate(pointer) {
      const origin = bundle.origin(pointer);
      return origin.file.locate(origin.pointer);
    },
  };
}

/** Findings as lines of text, each with where in the sources it stands. */
export function located(source: Source, findings: readonly Finding[]): string {
  return findings.map((finding) => `${source.locate(finding.pointer)}: ${findingLine(finding)}`).join('\n');
}
