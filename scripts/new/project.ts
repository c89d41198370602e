import path from 'node:path';

/** The root folder of this project, from whose files those of a new service are derived. */
export const HERE = path.join(__dirname, '../..');
