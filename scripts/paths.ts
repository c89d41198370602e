import path from 'node:path';

/** The root folder of the project. The paths below are relative to it. */
export let root = path.join(__dirname, '..');

/** Changes the project that the scripts work on. A test loads the scripts once and runs them on many projects. */
export function workOn(folder: string): void {
  root = folder;
  process.chdir(folder);
}

/** The folder of the document and of its parts. */
export const SOURCES = 'openapi';
export const OVERLAY = 'openapi/overlay.yaml';
export const PUBLISHED = 'generated/openapi.json';
export const TYPES = 'generated/openapi.d.ts';
