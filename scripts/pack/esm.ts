/** The entry for Kysely as ES modules: from version 0.29 on, Kysely is nothing else. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { root } from '../paths';

const FOLDER = 'src/kysely';

/**
 * The modules of src/kysely as ES modules, beside those that `require` loads, and the declarations of its index. They import
 * everything else of the package as `require` does, so that there is one copy of it.
 *
 * @param files the compiled files of the package, by their paths in it
 */
export function esModules(files: ReadonlyMap<string, string>): Map<string, string> {
  const own = readdirSync(path.join(root, FOLDER)).filter((file) => file.endsWith('.ts'));
  /** The files that the modules import. Only CommonJS may leave out their endings. */
  const whole = (text: string): string =>
    text.replace(/(from ')(\.[^']+)'/g, (_, from: string, name: string) => {
      const target = path.posix.join('dist', FOLDER, name);
      if (own.includes(`${path.posix.basename(name)}.ts`) && name.startsWith('./'))
        return `${from}${name}.mjs'`;
      return `${from}${name}${files.has(`${target}.js`) ? '' : '/index'}.js'`;
    });
  const module = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2024 };
  return new Map([
    ...own.map((file) => {
      const text = readFileSync(path.join(root, FOLDER, file), 'utf8');
      const { outputText } = ts.transpileModule(text, { compilerOptions: module });
      return [`dist/${FOLDER}/${file.replace(/\.ts$/, '.mjs')}`, whole(outputText)] as const;
    }),
    [`dist/${FOLDER}/index.d.mts`, whole(files.get(`dist/${FOLDER}/index.d.ts`) ?? '')],
  ]);
}
