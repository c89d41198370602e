import newman from 'newman';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from './worker.mjs';

const portman = createRequire(import.meta.url).resolve('@apideck/portman/bin/portman');

const enabled = (...names) => Object.fromEntries(names.map((name) => [name, { enabled: true }]));
const SHAPE = ['contentType', 'jsonBody', 'schemaValidation', 'headersPresent'];
const INVALID = [
  enabled(
    'requiredFields',
    'minimumNumberFields',
    'maximumNumberFields',
    'minLengthFields',
    'maxLengthFields',
  ),
];
const variation = (status, name, change) => ({
  openApiOperation: '*::/*',
  openApiResponse: status,
  variations: [{ name, ...change, tests: { contractTests: [enabled('statusCode', ...SHAPE)] } }],
});

/** All contract tests of Portman, and its variations: a wrong token, and fuzzing of bodies and parameters. */
const configOf = (headers) => ({
  version: 1,
  tests: {
    contractTests: [{ openApiOperation: '*::/*', ...enabled('statusSuccess', ...SHAPE) }],
    variationTests: [
      variation('401', 'a wrong token', {
        overwrites: [{ overwriteRequestSecurity: { bearer: { token: 'a-wrong-token' } } }],
      }),
      variation('400', 'invalid', {
        fuzzing: [{ requestBody: INVALID }, { requestQueryParams: INVALID }, { requestHeaders: INVALID }],
      }),
    ],
  },
  globals: headers.Authorization?.startsWith('Bearer ')
    ? { securityOverwrites: { bearer: { token: headers.Authorization.slice('Bearer '.length) } } }
    : {},
});

/** The collection that Portman makes of a document. Newman replaces its base URL. */
export const collectionOf = once((document, { headers, folder }) => {
  const [config, collection] = ['portman.json', 'collection.json'].map((name) => join(folder, name));
  writeFileSync(config, JSON.stringify(configOf(headers)));
  execFileSync(process.execPath, [portman, '-l', document, '-c', config, '-o', collection], { cwd: folder });
  return collection;
});

/** Runs a collection; resolves to what Newman reports of it. */
export function runCollection(collection, base, listen = () => undefined) {
  const envVar = [{ key: 'baseUrl', value: base }];
  return new Promise((resolve, reject) => {
    const run = newman.run({ collection, envVar, timeoutRequest: 5000 }, (error, summary) =>
      error ? reject(error) : resolve(summary),
    );
    listen(run);
  });
}
