import { mkdirSync, writeFileSync } from 'node:fs';
import prettier from 'prettier';
import { join, basename, dirname } from 'node:path';
import { layOut } from './new/layout';
import { readDocumentAndNames } from './new/arguments';
async function main() {
  const [out = '', ...docs] = process.argv.slice(2);
  for (const file of docs) {
    const name = file.replace(/^\/work\/(main|wt)\//, '').replace(/[^\w.+-]+/g, '_');
    const result: Record<string, unknown> = {};
    try {
      const [source, names] = readDocumentAndNames({ file, folder: '/tmp/x/shop', name: '', tarball: undefined, modules: undefined, allowOutside: true });
      const { files, notes, handlers } = await layOut(source, names, 'package.tgz');
      for (const [f, text] of Object.entries(files)) if (!/^openapi\/(?!overlay)/.test(f)) result[f] = (/^(src|tests).*ts$/.test(f) ? await prettier.format(text, {parser:'typescript', singleQuote:true, printWidth:110}) : text).split('\n');
      result['notes'] = notes; result['handlers'] = handlers.map((h) => h.operationId);
    } catch (e) { result['error'] = String(e).slice(0, 2000).split('\n'); }
    mkdirSync(out, { recursive: true });
    writeFileSync(join(out, name + '.json'), JSON.stringify(result, (_, v) => typeof v === 'bigint' ? String(v) : v, 1));
    console.log(name, 'error' in result ? 'ERROR ' + JSON.stringify(result['error']).slice(0, 150) : Object.keys(result).length);
  }
}
void main();
