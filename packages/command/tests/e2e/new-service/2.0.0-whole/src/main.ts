import path from 'node:path';
import { createApp } from './app';
import { readConfig } from './config';
import { openDependencies } from './dependencies';
import { errors } from './errors';
import { createHandlers } from './handlers';
import { runService } from 'contract-first-server/runtime';

runService({
  readConfig,
  document: path.join(__dirname, '../generated/openapi.json'),
  errors,
  open: openDependencies,
  createApp: (dependencies, options) => createApp(createHandlers(dependencies), options, dependencies),
});
