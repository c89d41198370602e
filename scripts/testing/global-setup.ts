import { useMemory } from './memory';
import { offerPostgres } from './shared-postgres';

/** Jest calls this before its first suite. */
export default async function setup(): Promise<void> {
  useMemory();
  await offerPostgres();
}
