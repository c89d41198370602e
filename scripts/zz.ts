import { writeFileSync } from 'node:fs';
import { OpenApiDocument, type JsonObject } from '../src/contract';
import { clientOf } from './client/client';
import { readFiles, DOCUMENTS } from '../tests/http/document-server';
async function go() {
  for (const name of DOCUMENTS) {
    const json: JsonObject = await readFiles(name);
    const { text } = clientOf(new OpenApiDocument(json));
    writeFileSync(`/tmp/client/gen/${name.replaceAll('/', '-').replace(/\.yaml$/, '')}.ts`, text);
  }
}
void go();
