/** Reads OpenAPI documents as people write them: YAML or JSON, in one or several files, version 3.2, 3.1 or 3.0. */
import { lastStep } from 'contract-first-server/tools';
import { type Finding, findingLine, type JsonObject } from 'contract-first-server';
import { Bundle } from './bundle';
import { renameComponents } from './component-names';
import { convertTo31 } from './convert';

export { SourceError } from './read-file';

/** The option of commands that read a document anywhere: its parts may be outside of its folder. */
export const ALLOW_OUTSIDE = '--allow-outside';

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

/**
 * @param allowOutside whether its parts may be outside of its folder; undefined: they never may
 * @throws {SourceError} if a file cannot be read
 */
export function readSource(file: string, allowOutside?: boolean): Source {
  const bundle = new Bundle(file, allowOutside);
  const renamed = renameComponents(bundle.document);
  bundle.move(renamed);
  const locate = (pointer: string) => bundle.locate(pointer);
  const converted = convertTo31(bundle.document, locate);
  const [first, ...more] = bundle.replaced;
  const others = more.length > 0 ? `, and in ${more.length} more places` : '';
  return {
    document: bundle.document,
    files: bundle.sources.all().map(({ path }) => path),
    notes: [
      ...[...renamed].map(
        ([from, to]) =>
          `${locate(to)}: OpenAPI does not allow the name ${JSON.stringify(lastStep(from))}: the component is read as ${lastStep(to)}`,
      ),
      ...converted,
      ...(first === undefined
        ? []
        : [`${locate(first)}: OpenAPI does not allow a $ref here: it is replaced by its target${others}`]),
      ...bundle.sources.all().flatMap((file) => file.inexactNumbers()),
    ],
    locate,
  };
}

/** One line for each finding, with its place in the sources. */
export function located(source: Source, findings: readonly Finding[]): string {
  return findings.map((finding) => `${source.locate(finding.pointer)}: ${findingLine(finding)}`).join('\n');
}
