/** The entry for Kysely as ES modules: from version 0.29 on, Kysely is nothing else. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/**
 * The modules of a folder as ES modules, to stand beside those that `require` loads, and the declarations of its index. They
 * import the modules of the folder above as `require` does, so that there is one copy of those.
 *
 * @param folder packages/database/src/kysely of the package
 */
export function esModules(folder: string): Map<string, string> {
  const own = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  /** The files that the modules import. Only CommonJS may leave out their endings. */
  const whole = (text: string): string =>
    text.replace(/(from ')(\.[^']*)'/g, (_, from: string, name: string) => {
      if (name.startsWith('./') && own.includes(`${name.slice(2)}.ts`)) return `${from}${name}.mjs'`;
      return `${from}${name}${name.endsWith('.') ? '/index' : ''}.js'`;
    });
  const module = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2024 };
  const declarations = path.join(folder, '../../dist/kysely/index.d.ts');
  return new Map([
    ...own.map((file) => {
      const { outputText } = ts.transpileModule(readFileSync(path.join(folder, file), 'utf8'), {
        compilerOptions: module,
      });
      return [file.replace(/\.ts$/, '.mjs'), whole(outputText)] as const;
    }),
    ['index.d.mts', whole(readFileSync(declarations, 'utf8'))],
  ]);
}
