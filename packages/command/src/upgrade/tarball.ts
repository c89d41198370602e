import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** The name of a packed package; undefined if the file is not a package. */
export function packedName(file: string): unknown {
  try {
    const tar = gunzipSync(readFileSync(file), { maxOutputLength: 2 ** 28 });
    // Each file has a block of 512 bytes with its name and its size in octal digits, and then its own blocks.
    for (let at = 0; at < tar.length;) {
      const [name] = tar.toString('latin1', at, at + 100).split('\0');
      const size = parseInt(tar.toString('latin1', at + 124, at + 136), 8) || 0;
      at += 512;
      if (name === 'package/package.json')
        return (JSON.parse(tar.toString('utf8', at, at + size)) as { name?: unknown }).name;
      at += Math.ceil(size / 512) * 512;
    }
  } catch {
    // It is not compressed, or its manifest is no JSON.
  }
  return undefined;
}
