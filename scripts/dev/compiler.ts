import path from 'node:path';
import ts from 'typescript';
import { explain } from '../compiler/explain';
import { root } from '../paths';

const CONFIG = path.join(root, 'src/tsconfig.json');

/**
 * Compiles src/ to dist/ and keeps its state between runs: it reads only project files again, and checks only the files
 * that a change affects.
 */
export class Compiler {
  /** The files of node_modules, which do not change during a session. */
  private readonly libraries = new Map<string, ts.SourceFile | undefined>();
  private program: ts.EmitAndSemanticDiagnosticsBuilderProgram | undefined;

  /** Checks src/ and writes dist/ if there are no errors. Otherwise returns the errors, with file and line. */
  compile(): string | undefined {
    const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined };
    const config = ts.getParsedCommandLineOfConfigFile(CONFIG, {}, host);
    if (!config) return `${CONFIG} cannot be read`;
    const { options, fileNames, errors } = config;
    this.program = ts.createEmitAndSemanticDiagnosticsBuilderProgram(
      fileNames,
      options,
      this.host(options),
      this.program ?? ts.readBuilderProgram(options, ts.createIncrementalCompilerHost(options)),
    );
    const found = [
      ...errors,
      ...this.program.getSyntacticDiagnostics(),
      ...this.program.getGlobalDiagnostics(),
      ...this.program.getSemanticDiagnostics(),
    ];
    if (found.length === 0) this.program.emit();
    return found.length === 0 ? undefined : this.describe(explain(this.program.getProgram(), found));
  }

  private host(options: ts.CompilerOptions): ts.CompilerHost {
    const host = ts.createIncrementalCompilerHost(options);
    const read = host.getSourceFile.bind(host);
    host.getSourceFile = (file, ...rest) => {
      if (!file.includes('/node_modules/')) return read(file, ...rest);
      if (!this.libraries.has(file)) this.libraries.set(file, read(file, ...rest));
      return this.libraries.get(file);
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
