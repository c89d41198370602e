/** What `make generate` prints: at most MOST lines, and each remark once, until something about it changes. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../paths';

/** The most lines of one change. */
export const MOST = 20;

/** What was printed before. Without it all is printed again. */
const MEMORY = '.cache/generate';

interface Memory {
  /** Remarks, without lines and columns. */
  readonly remarks: readonly string[];
  /** The lines about the last change of the document. */
  readonly changes: readonly string[];
}

export function readMemory(): Memory {
  try {
    return JSON.parse(readFileSync(path.join(root, MEMORY), 'utf8')) as Memory;
  } catch {
    return { remarks: [], changes: [] };
  }
}

export function writeMemory(memory: Memory): void {
  mkdirSync(path.join(root, '.cache'), { recursive: true });
  writeFileSync(path.join(root, MEMORY), JSON.stringify(memory));
}

/** A remark without its line and column, which every edit above it changes. */
export const withoutPlace = (remark: string): string => remark.replace(/:\d+:\d+: /, ': ');
