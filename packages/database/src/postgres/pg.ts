import { createRequire } from 'node:module';
import type * as Pg from 'pg';

let loaded: typeof Pg | undefined;

/** The package pg. It is loaded at its first use, since that takes a fifth of the time in which a service on SQLite starts. */
export const pg = (): typeof Pg => (loaded ??= createRequire(__filename)('pg') as typeof Pg);
