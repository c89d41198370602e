/** Reads OpenAPI documents as people write them: YAML or JSON, in one or several files, version 3.1 or 3.0. */
import path from 'node:path';
import { type Finding, findingLine, type JsonObject } from '../../src/contract';
import { Bundle } from './bundle';
import { convertTo31 } from './convert';
import { SourceFile } from './source-file';

export { SourceError } from './source-file';

export interface Source {
  /** The bundled document. */
  readonly document: JsonObject;
  /** One sentence for each conversion and each inexact number. */
  readonly notes: readonly string[];
  /** The paths of its files, the main one first. */
  readonly files: readonly string[];
  /** The place of a pointer in the sources, as `file:line:column`. */
  readonly locate: (pointer: string) => string;
}

/** @throws {SourceError} if a file cannot be read */
export function readSource(file: string): Source {
  const bundle = new Bundle(new SourceFile(path.resolve(file)));
  const converted = convertTo31(bundle.document);
  const inexact = [...bundle.files.values()].flatMap((one) => one.inexactNumbers());
  return {
    document: bundle.document,
    files: [...bundle.files.keys()],
    notes: [...(converted === undefined ? [] : [converted]), ...inexact],
    locate(pointer) {
      const origin = bundle.origin(pointer);
      return origin.file.locate(origin.pointer);
    },
  };
}

/** One line for each finding, with its place in the sources. */
export function located(source: Source, findings: readonly Finding[]): string {
  return findings.map((finding) => `${source.locate(finding.pointer)}: ${findingLine(finding)}`).join('\n');
}
