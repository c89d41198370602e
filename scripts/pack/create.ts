/**
 * Builds the package of `npm create contract-first`, as .cache/pack/create-contract-first-VERSION.tgz: `contract-first new` under
 * the name that package managers look for.
 */
import type { Manifest } from './manifest';

const NAME = 'contract-first';
export const CREATE = 'create-contract-first';

const PROGRAM = `#!/usr/bin/env node
// \`contract-first new\`, with the arguments of this program.
'use strict';
process.argv.splice(2, 0, 'new');
var manifest = require('${NAME}/package.json');
require(require('path').join(require.resolve('${NAME}/package.json'), '..', manifest.bin['${NAME}']));
`;

const README = `# ${CREATE}

Lays out a contract-first TypeScript service from an OpenAPI document: \`npm create contract-first museum.yaml\`. It is
\`contract-first new\` of the package [${NAME}](https://www.npmjs.com/package/${NAME}).
`;

/** The text of each file of the package. */
export const createFiles = (
  { version, license, engines }: Pick<Manifest, 'version' | 'license' | 'engines'>,
  links: object,
): Readonly<Record<string, string>> => ({
  'package.json': `${JSON.stringify(
    {
      name: CREATE,
      version,
      description: 'Lays out a contract-first TypeScript service from an OpenAPI document',
      license,
      keywords: ['openapi', NAME, 'create'],
      ...links,
      engines,
      type: 'commonjs',
      bin: { [CREATE]: 'create.js' },
      dependencies: { [NAME]: version },
    },
    null,
    2,
  )}\n`,
  'create.js': PROGRAM,
  'README.md': README,
});
