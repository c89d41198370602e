import { join } from 'node:path';
import ts from 'typescript';
import { type JsonObject, readDocument } from 'contract-first-server';
import { OpenApiDocument, writeDocument } from 'contract-first-server/tools';
import { clientOf } from '../../packages/command/src/client/client';
import { typesOf as generateTypes } from '../../packages/command/src/document/publish/types';

const root = join(__dirname, '../..');

/** As they would be read from files: with integers that a double cannot hold. */
const parsed = (documents: readonly JsonObject[]) =>
  documents.map((document) => new OpenApiDocument(readDocument(writeDocument(document))));

/** The types that `contract-first generate` generates. */
export const typesOfAll = (documents: readonly JsonObject[]) =>
  parsed(documents).map((document) => generateTypes(document));

/** The clients that `contract-first client` writes. */
export const clientsOfAll = (documents: readonly JsonObject[]) =>
  parsed(documents).map((document) => clientOf(document));

export const typesOf = (document: JsonObject): string => typesOfAll([document])[0]?.text ?? '';

/** Compiles files, given by their names in a folder, in memory and with the flags of the project. */
export function compileTexts(folder: string, files: Readonly<Record<string, string>>) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  options.types = ['node'];
  const host = ts.createCompilerHost(options);
  // Most of the text of the libraries is comments. As in tsc, they are parsed only where they affect types.
  host.jsDocParsingMode = ts.JSDocParsingMode.ParseForTypeErrors;
  const texts = new Map(Object.entries(files).map(([name, text]) => [join(folder, name), text]));
  const getSourceFile = host.getSourceFile.bind(host);
  const fileExists = host.fileExists.bind(host);
  host.fileExists = (name) => texts.has(name) || fileExists(name);
  host.getSourceFile = (name, version, ...rest) => {
    const text = texts.get(name);
    return text === undefined
      ? getSourceFile(name, version, ...rest)
      : ts.createSourceFile(name, text, version);
  };
  const program = ts.createProgram([...texts.keys()], options, host);
  return {
    program,
    diagnosticsOf: (name: string): readonly ts.Diagnostic[] =>
      ts.getPreEmitDiagnostics(program, program.getSourceFile(join(folder, name))),
  };
}

/**
 * The errors in files of a project, with options beside those of its tsconfig.json.
 *
 * @param isChecked whether to check a file, given by its path
 * @param files those of the project by default
 */
export function errorsIn(
  folder: string,
  more: ts.CompilerOptions,
  isChecked: (file: string) => boolean,
  files?: readonly string[],
): string {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
  const config = ts.getParsedCommandLineOfConfigFile(join(folder, 'tsconfig.json'), more, host);
  if (!config) throw new Error(`${folder}/tsconfig.json cannot be read`);
  const program = ts.createProgram(files ?? config.fileNames, config.options);
  const errors = [
    ...config.errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...program
      .getSourceFiles()
      .filter(({ fileName }) => isChecked(fileName))
      .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
  return ts.formatDiagnostics(errors, {
    getCurrentDirectory: () => folder,
    getCanonicalFileName: (name) => name,
    getNewLine: () => '\n',
  });
}
