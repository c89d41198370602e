import { removePostgres } from './shared-postgres';

/** Jest calls this after its last suite, in the process of global-setup.ts. */
export default removePostgres;
