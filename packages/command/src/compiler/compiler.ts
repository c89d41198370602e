import path from 'node:path';
import ts from 'typescript';
import { columnsLeft } from '../generate/columns';
import { handlerAdvice } from '../generate/renamed';
import { explain } from './explain';
import { nameInProject, root } from '../paths';

/**
 * Checks the files of a tsconfig.json, compiles them if it says so, and keeps its state: it reads only project files again,
 * parses only those with another text, and checks only the files that a change affects since the last run or process.
 */
export class Compiler {
  /** The parsed files, by name. Those of node_modules do not change during a session. */
  private readonly files = new Map<string, ts.SourceFile | undefined>();
  /** The program of the last run. */
  builder: ts.EmitAndSemanticDiagnosticsBuilderProgram | undefined;

  /**
   * @param config the path of the tsconfig.json in the project
   * @param concerns whether to report the errors of a file, given by its path in the project. Those without a file are
   *   always reported.
   */
  constructor(
    private readonly config: string,
    private readonly concerns: (file: string) => boolean = () => true,
  ) {}

  /** Checks the files and emits if there are no errors. Otherwise returns the errors, with file and line. */
  compile(): string | undefined {
    const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
    const config = ts.getParsedCommandLineOfConfigFile(path.join(root, this.config), {}, host);
    if (!config) return `${this.config} cannot be read`;
    const { options, fileNames, errors } = config;
    this.builder = ts.createEmitAndSemanticDiagnosticsBuilderProgram(
      fileNames,
      options,
      this.host(options),
      this.builder ?? ts.readBuilderProgram(options, ts.createIncrementalCompilerHost(options)),
    );
    const found = [
      ...errors,
      ...this.builder.getOptionsDiagnostics(),
      ...this.builder.getSyntacticDiagnostics(),
      ...this.builder.getGlobalDiagnostics(),
      ...this.builder.getSemanticDiagnostics(),
    ];
    // Without output it stores its state.
    if (found.length === 0 || options.noEmit === true) this.builder.emit();
    const reported = found.filter(({ file }) => !file || this.concerns(nameInProject(file.fileName)));
    return reported.length === 0
      ? undefined
      : this.describe(
          explain(this.builder.getProgram(), reported, { ...handlerAdvice(), columns: columnsLeft }),
        );
  }

  private host(options: ts.CompilerOptions): ts.CompilerHost {
    const host = ts.createIncrementalCompilerHost(options);
    const read = host.getSourceFile.bind(host);
    // `anew`: an option that affects the parser has changed.
    host.getSourceFile = (file, version, onError, anew = false) => {
      const known = this.files.get(file);
      const isLibrary = file.includes('/node_modules/') && this.files.has(file);
      if (!anew && (isLibrary || (known && known.text === host.readFile(file)))) return known;
      const parsed = read(file, version, onError, anew);
      this.files.set(file, parsed);
      return parsed;
    };
    return host;
  }

  private describe(diagnostics: readonly ts.Diagnostic[]): string {
    const host = {
      getCurrentDirectory: () => root,
      getCanonicalFileName: (name: string) => name,
      getNewLine: () => '\n',
    };
    const format = process.stdout.isTTY ? ts.formatDiagnosticsWithColorAndContext : ts.formatDiagnostics;
    return format(diagnostics, host).trimEnd();
  }
}
