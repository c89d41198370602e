import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import ts from 'typescript';
import { type JsonObject } from 'contract-first-server';
import { writeDocument } from 'contract-first-server/tools';
import { SOURCES } from './sources';

const root = join(__dirname, '../..');

/** What a generator makes of documents, in a child process: Jest cannot load openapi-typescript. */
function generated<T>(file: string, name: string, documents: readonly JsonObject[]): T[] {
  const code = `const { ${name} } = require('./packages/command/src/${file}');
    const { OpenApiDocument, readDocument } = { ...require('contract-first-server'), ...require('contract-first-server/tools') };
    console.log(JSON.stringify(readDocument(require('node:fs').readFileSync(0, 'utf8')).map((root) => ${name}(new OpenApiDocument(root)))))`;
  const args = [...SOURCES, '-e', code];
  const input = writeDocument(documents);
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    input,
    maxBuffer: 2 ** 28,
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as T[];
}

interface Generated {
  readonly text: string;
  readonly untyped: { pointer: string }[];
}

/** The types that `contract-first generate` generates. */
export const typesOfAll = (documents: readonly JsonObject[]): Generated[] =>
  generated('document/publish/types', 'typesOf', documents);

/** The clients that `contract-first client` writes. */
export const clientsOfAll = (documents: readonly JsonObject[]): Generated[] =>
  generated('client/client', 'clientOf', documents);

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
