/** What stands in the places of the layout outside of its code, for one document. */
import { quoted } from '../generate/handler-names';
import type { Extras } from './extras';
import type { Places } from './fill';
import type { Names } from './names';
import type { Scheme } from './schemes';
import type { Users } from './users/user-code';

/** What a document decides about the project of its service. */
export interface Project {
  readonly names: Names;
  /** The name of the document in openapi/. */
  readonly document: string;
  /** The version of the packages in vendor/. */
  readonly version: string;
  /** Those whose secrets are in the environment. */
  readonly schemes: readonly Scheme[];
  readonly users: Users | undefined;
  /** Whether it sends webhooks or callbacks. */
  readonly senders: boolean;
  /** What else the service has. */
  readonly extras: Extras;
  /** Commands that send and print files and streams. */
  readonly curl: readonly string[];
}

/** A secret to try tokens with. */
const SIGNING = '$(openssl rand -hex 32)';

/** The script of the image in package.json of the layout. */
const IMAGE = `    "image": "contract-first --node && node -e \\"child_process.execFileSync('docker', ['build', '--build-arg', 'NODE_VERSION=' + fs.readFileSync('.nvmrc', 'utf8').trim(), '--tag', 'bike-shed', '.'], { stdio: 'inherit' })\\"",\n`;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
/** A text in Markdown: any ASCII punctuation may have a backslash (CommonMark 0.31.2, section 2.4). */
const markdown = (text: string): string => oneLine(text).replace(/[!-/:-@[-`{-~]/g, '\\$&');
/** One more backtick than any run in a text, and at least so many. */
const backticks = (text: string, least: number): string =>
  '`'.repeat(Math.max(least, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length + 1)));
const codeSpan = (text: string): string => {
  const [mark, code] = [backticks(text, 1), oneLine(text)];
  return code.includes('`') ? `${mark} ${code} ${mark}` : `${mark}${code}${mark}`;
};
const fenced = (language: string, code: string): string =>
  `${backticks(code, 3)}${language}\n${code}\n${backticks(code, 3)}`;

export function projectPlaces({
  names,
  document,
  version,
  schemes,
  users,
  senders,
  extras,
  curl,
}: Project): Record<string, Places> {
  const trials = schemes.map(({ secrets, trial }) => `${secrets}=${trial} `);
  const fileOf = ({ secrets }: Scheme): string => secrets.toLowerCase().replaceAll('_', '-');
  const files = [...schemes.map(fileOf), ...(users ? ['token-secrets'] : [])];
  return {
    '.env.example': {
      '#credentials': schemes.length > 0,
      '#schemes': schemes.map(({ name, what, secrets, issuer }) => ({
        "'keeper'": quoted(name),
        'bearer tokens, separated by commas, each optionally with a colon and its scopes: one,another:read write':
          what,
        API_TOKENS: secrets,
        '#issuer': issuer !== undefined && [{ AUTH: issuer }],
      })),
      '#users': users !== undefined,
      '#senders': senders,
    },
    Dockerfile: {
      '-e API_TOKENS=secret ': [...trials, ...(users ? [`TOKEN_SECRETS=${SIGNING} `] : [])]
        .map((trial) => `-e ${trial}`)
        .join(''),
    },
    Makefile: { 'bike-shed.yaml': document, '#deploy': extras.has('deploy') },
    '.github/workflows/ci.yml': { '#deploy': extras.has('deploy') },
    'README.md': {
      'Bike Shed': markdown(names.title),
      '#deploy': extras.has('deploy'),
      '#github': extras.has('github'),
      '#vscode': extras.has('vscode'),
      'bike-shed.yaml': document,
      '#schemes':
        schemes.length === 0
          ? users
            ? ''
            : 'Anyone: no operation requires credentials.\n'
          : schemes.map(({ name, what, secrets, issuer }) => ({
              '`keeper`': codeSpan(name),
              'bearer tokens': what.split(',')[0] ?? '',
              API_TOKENS: secrets,
              '; JWTs with `AUTH_AUDIENCE` and their issuer':
                issuer === undefined ? '' : `; JWTs with \`${issuer}_AUDIENCE\` and their issuer`,
            })),
      '#curl': curl.length > 0 && [
        { '```sh\ncurl -i -N http://127.0.0.1:3000/rides\n```': fenced('sh', curl.join('\n\n')) },
      ],
      '#users': users !== undefined && [
        { '`keeper`': codeSpan(users.scheme), '`logIn`': codeSpan(users.login.operation.operationId) },
      ],
    },
    'deploy/compose.yaml': {
      '#users': users !== undefined,
      'API_TOKENS=secret ': [...trials, ...(users ? [`TOKEN_SECRETS=${SIGNING} `] : [])].join(''),
      '#schemes': schemes.map(({ secrets }) => ({ API_TOKENS: secrets })),
    },
    'deploy/kubernetes.yaml': {
      '#users': users !== undefined,
      ' --from-file=api-tokens=FILE_WITH_ONE_ON_EACH_LINE': files
        .map((file) => ` --from-file=${file}=FILE_WITH_ONE_ON_EACH_LINE`)
        .join(''),
      '#schemes': schemes.map((scheme) => ({ API_TOKENS: scheme.secrets, 'api-tokens': fileOf(scheme) })),
      '#secrets': files.length > 0,
      '{ key: api-tokens, path: api-tokens }': files
        .map((file) => `{ key: ${file}, path: ${file} }`)
        .join(', '),
    },
    'package.json': {
      ...(extras.has('deploy') ? {} : { [IMAGE]: '' }),
      '"Bike Shed"': JSON.stringify(names.title),
      'bike-shed.yaml': document,
      '.tgz"': `-${version}.tgz"`,
    },
    'tsconfig.json': { '#here': false },
  };
}
