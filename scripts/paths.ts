import path from 'node:path';

/** The folder of the project; the paths below are relative to it. */
export let root = path.join(__dirname, '..');

/** Has the scripts work on another project: a test loads them once, and tries them on many. */
export function workOn(folder: string): void {
  root = folder;
  process.chdir(folder);
}

/** Where the document is that a person writes, and what may belong to it. */
export const SOURCES = 'openapi';
export const OVERLAY = 'openapi/overlay.yaml';
export const PUBLISHED = 'generated/openapi.json';
export const TYPES = 'generated/openapi.d.ts';
