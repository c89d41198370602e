import path from 'node:path';
import { createApp } from './app';
import { readConfig } from './config';
import { errors } from './errors';
import { createHandlers } from './handlers';
import { runService } from 'contract-first-server/operational';
import { openStore } from './storage/open';

runService({
  readConfig,
  document: path.join(__dirname, '../generated/openapi.json'),
  errors,
  openStore: ({ databaseUrl }, observer) => openStore(databaseUrl, observer),
  createApp: (store, surroundings) => createApp(createHandlers(store), surroundings),
});
