import { readFileSync, writeFileSync } from 'node:fs';
import prettier from 'prettier';

/** Formats a file as `make format` of its service does. Leaves a file that Prettier does not know as it is. */
export async function formatFile(file: string): Promise<void> {
  const { inferredParser } = await prettier.getFileInfo(file);
  if (inferredParser === null) return;
  const options = await prettier.resolveConfig(file);
  const text = await prettier.format(readFileSync(file, 'utf8'), { ...options, filepath: file });
  writeFileSync(file, text);
}
