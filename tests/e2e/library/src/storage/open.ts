import type { LibraryStore } from '../library/library-store';
import { openMemoryStore } from './memory';

const COLLECTION = [
  { isbn: '9780140449136', title: 'The Odyssey', year: 1996 },
  { isbn: '9780141439587', title: 'Emma' },
];

/** @throws {Error} unless the URL is `memory:` */
export function openStore(url: string): Promise<LibraryStore> {
  if (url !== 'memory:') return Promise.reject(new Error(`expected memory:, got ${url}`));
  return Promise.resolve(openMemoryStore(COLLECTION));
}
