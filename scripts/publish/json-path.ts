import { lastStep, type OpenApiDocument } from '../../src/contract';

/** The JSONPath (RFC 9535) of one place of a document. */
export function jsonPath(document: OpenApiDocument, pointer: string): string {
  let path = '$';
  for (let end = pointer.indexOf('/', 1); pointer !== ''; end = pointer.indexOf('/', end + 1)) {
    const here = end < 0 ? pointer : pointer.slice(0, end);
    const holder = document.at(here.slice(0, here.lastIndexOf('/')));
    path += selector(lastStep(here), Array.isArray(holder));
    if (end < 0) break;
  }
  return path;
}

function selector(name: string, isIndex: boolean): string {
  if (isIndex) return `[${name}]`;
  if (/^[A-Za-z_]\w*$/.test(name)) return `.${name}`;
  return `['${name.replace(/['\\]/g, '\\$&')}']`;
}
