/** What stands in the places of scripts/new/layout/ for one document. */
import { quoted } from '../generate/handler-names';
import { creations, imports, members as opened, type Stores, typeImports, typeMembers } from './stores';
import { codeOf, numberPlace, propertyName, recognizable, says } from './error-body';
import type { ErrorBody, OtherBody, OwnKind } from './errors';
import { fill, type Places, withoutUnusedImports } from './fill';
import { layoutFiles, readLayout } from './layout-files';
import type { Names } from './names';
import type { Scheme } from './schemes';
import type { Sequence, StoredExample, Todo } from './tests';
import { credentialsCode, type Users } from './user-code';

/** What a document decides about its service. */
export interface Decided {
  readonly names: Names;
  /** The name of the document in openapi/. */
  readonly document: string;
  /** The name of the package in vendor/. */
  readonly tarball: string;
  /** Those whose secrets are in the environment. */
  readonly schemes: readonly Scheme[];
  readonly users: Users | undefined;
  readonly stores: Stores;
  readonly kinds: readonly OwnKind[];
  readonly usual: ErrorBody;
  /** The TypeScript type of the usual error body. */
  readonly errorType: string;
  readonly others: readonly OtherBody[];
  readonly examples: readonly StoredExample[];
  readonly sequences: readonly Sequence[];
  readonly todo: readonly Todo[];
  /** The operations that document 404. */
  readonly absent: readonly string[];
}

/**
 * The files of a service, but those of openapi/.
 *
 * @throws {Error} if a file of the layout lacks a place, or has one that nothing is put into
 */
export function filledLayout(decided: Decided): Record<string, string> {
  const { kebab, pascal, snake, title } = decided.names;
  const names = { 'bike-shed': kebab, BikeShed: pascal, bike_shed: snake, 'Bike Shed': title };
  const places: Readonly<Record<string, Places>> = { ...projectPlaces(decided), ...sourcePlaces(decided) };
  const files = layoutFiles().filter((file) => file !== 'openapi/overlay.yaml');
  const unknown = Object.keys(places).filter((file) => !files.includes(file));
  if (unknown.length > 0) throw new Error(`the layout has no file ${unknown.join(', ')}`);
  return Object.fromEntries(
    files.map((file) => {
      const text = fill(file, readLayout(file), places[file] ?? {}, names);
      const own = file === 'gitignore' ? '.gitignore' : fill(file, file, {}, names);
      return [own, file.endsWith('.ts') ? withoutUnusedImports(text) : text];
    }),
  );
}

/** A secret to try tokens with. */
const SIGNING = '$(openssl rand -hex 32)';

function projectPlaces({ names, document, tarball, schemes, users }: Decided): Record<string, Places> {
  const trials = schemes.map(({ secrets, trial }) => `${secrets}=${trial} `);
  const fileOf = ({ secrets }: Scheme): string => secrets.toLowerCase().replaceAll('_', '-');
  const files = [...schemes.map(fileOf), ...(users ? ['token-secrets'] : [])];
  return {
    '.env.example': {
      '#credentials': schemes.length > 0,
      '#schemes': schemes.map(({ name, what, secrets, issuer }) => ({
        "'keeper'": quoted(name),
        'bearer tokens, separated by commas, each with its scopes after a colon if it has any: one,another:read write':
          what,
        API_TOKENS: secrets,
        '#issuer': issuer !== undefined && [{ AUTH: issuer }],
      })),
      '#users': users !== undefined,
    },
    Dockerfile: {
      '-e API_TOKENS=secret ': [...trials, ...(users ? [`TOKEN_SECRETS=${SIGNING} `] : [])]
        .map((trial) => `-e ${trial}`)
        .join(''),
    },
    Makefile: { 'bike-shed.yaml': document },
    'README.md': {
      'bike-shed.yaml': document,
      '#schemes':
        schemes.length === 0
          ? users
            ? ''
            : 'Anybody: no operation demands credentials.\n'
          : schemes.map(({ name, what, secrets, issuer }) => ({
              keeper: name,
              'bearer tokens': what.split(',')[0] ?? '',
              API_TOKENS: secrets,
              '; JWTs by `AUTH_JWKS_URL`, `AUTH_ISSUER` and `AUTH_AUDIENCE`':
                issuer === undefined
                  ? ''
                  : `; JWTs by \`${issuer}_JWKS_URL\`, \`${issuer}_ISSUER\` and \`${issuer}_AUDIENCE\``,
            })),
      '#users': users !== undefined && [{ keeper: users.scheme, logIn: users.login.operation.operationId }],
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
      '"Bike Shed"': JSON.stringify(names.title),
      'contract-first-server.tgz': tarball,
    },
    'tsconfig.json': { '#here': false },
  };
}

/** The verifier of the layout. */
const VERIFIER = "bearerTokens({ secrets: 'API_TOKENS', issuer: 'AUTH' })";

const strategyCode = ({ prefix }: Users): string =>
  `({ tokens }: Dependencies) => signedTokenStrategy(tokens${prefix === undefined ? '' : `, { prefix: ${quoted(prefix)} }`})`;

function sourcePlaces(decided: Decided): Record<string, Places> {
  const { names, schemes, users, stores, kinds, usual, errorType, others, examples } = decided;
  const { tables, written } = stores;
  const number = numberPlace(usual.shape);
  const refuses = (status: number) =>
    written.filter(({ code = '' }) => code.includes(`return { status: ${status}`));
  const operationsWith = (status: number) => [
    ...new Set([
      ...(status === 404 ? decided.absent : []),
      ...refuses(status).map(({ operation }) => operation.operationId),
    ]),
  ];
  const members = others.length === 0 ? recognizable(usual.shape) : '';
  /** The examples and their store, in a program that imports src/ from `source`. */
  const examplePlaces = (source: string, store: string): Places => ({
    '#imports': examples
      .map(({ table }) => `import type { New${table.typeName} } from '${source}/storage/${table.file}';\n`)
      .join(''),
    '#examples': examples.length > 0,
    '#typed': examples.map(({ table }) => `readonly ${table.name}: New${table.typeName};\n`).join(''),
    '#stored': examples
      .map(({ table: { name } }) => `await ${store}.${name}.add(examples.${name});\n`)
      .join(''),
  });
  return {
    'src/auth.ts': {
      '{ bearerTokens,': `{ ${[...new Set(schemes.map(({ verifier }) => `${verifier}, `))].sort().join('')}${users ? 'signedTokenStrategy, ' : ''}`,
      '#schemes': [
        ...schemes.map(({ name, verifier, secrets, issuer }) => ({
          keeper: propertyName(name),
          [VERIFIER]: `${verifier}({ secrets: '${secrets}'${issuer === undefined ? '' : `, issuer: '${issuer}'`} })`,
        })),
        ...(users ? [{ keeper: propertyName(users.scheme), [VERIFIER]: strategyCode(users) }] : []),
      ],
    },
    'src/config.ts': { '#users': users !== undefined },
    'src/dependencies.ts': { '#users': users !== undefined },
    'src/errors.ts': {
      '{ components }': `{ ${errorType.startsWith('components[') ? 'components' : 'operations'} }`,
      "components['schemas']['Problem']": errorType,
      "'application/problem+json'": quoted(usual.mediaType ?? ''),
      "OwnKind = 'noSuchResource' | 'conflict'": `OwnKind = ${kinds.map(({ kind }) => quoted(kind)).join(' | ') || 'never'}`,
      '#kinds': kinds
        .map(({ kind, status, number }) => `${kind}: { status: ${status}, number: ${number} },\n`)
        .join(''),
      ', status = ERRORS[kind].status': says(usual.shape, STATUS) ? ', status = ERRORS[kind].status' : '',
      'errorBody(kind, message, status)': `errorBody(kind, message${says(usual.shape, STATUS) ? ', status' : ''})`,
      '#body': `return ${codeOf(usual.shape)};\n`,
      '#others': others.length > 0,
      '#other': others.map(({ operationId, status, ...other }) => ({
        "'printLabel 404'": quoted(`${operationId} ${status}`),
        "(_, message) => ({ contentType: 'text/plain', body: message })": otherCode(other),
      })),
      "numberIn('code')":
        number === undefined ? '() => undefined' : `numberIn(${number.map(quoted).join(', ')})`,
    },
    'src/handlers/index.ts': { '#handlers': false },
    'src/bike-shed/bike-shed-store.ts': {
      '#imports': `${typeImports(tables)}${users ? "import type { Users } from '../storage/users';\n" : ''}`,
      '#members': `${typeMembers(tables)}${users ? 'readonly users: Users;\n' : ''}`,
    },
    'src/storage/open.ts': {
      "mark: 'Bike'": `mark: ${quoted(names.mark)}`,
      'neighbors.color': `${tables[0]?.variable ?? ''}.color`,
      'insertInto(neighbors,': `insertInto(${tables[0]?.variable ?? ''},`,
      '#imports': `${imports(tables)}${users ? "import { users, usersIn } from './users';\n" : ''}`,
      '#members': `${opened(tables)}${users ? 'users: usersIn(database),\n' : ''}`,
      '#tables': `${creations(tables)}${users ? 'createTable(users),\n' : ''}`,
    },
    'src/seed.ts': {
      ...examplePlaces('.', 'store'),
      ...(examples.length === 0 && {
        '#stored': 'await store.ready(); // add to it what you like to find there\n',
      }),
    },
    'tests/contract/service.ts': {
      ...examplePlaces('../../src', 'dependencies.store'),
      '#members': members === '' ? '' : `body: ${members},\n`,
      "?? 'memory:' }": `?? 'memory:'${users ? ", TOKEN_SECRETS: 'of-the-contract-tests'" : ''} }`,
      '#users': users !== undefined,
      '#usersStored': users?.stored ?? '',
      '#usersCredentials': users ? credentialsCode(users) : '',
      '#kinds': [
        ...kinds.map(({ kind, status }) => ({
          kind,
          status: `${status}`,
          operations: operationsWith(status),
        })),
        ...(users?.refusals['invalidRequest']
          ? [{ kind: 'invalidRequest', status: 'ERRORS.invalidRequest.status', operations: [] }]
          : []),
      ]
        .map(
          ({ kind, status, operations }) =>
            `${kind}: { status: ${status}, operations: ${codeOf([...new Set([...(users?.refusals[kind] ?? []), ...operations])])} },\n`,
        )
        .join(''),
      '#scenarios': decided.sequences
        .map(({ title, steps }) => `  { title: ${quoted(title)}, steps: [${steps.join(', ')}] },\n`)
        .join(''),
      '#waivers': decided.todo.map((each) => `  ${codeOf(each)},\n`).join(''),
      "'/components/schemas/Problem'": quoted(usual.schema),
    },
  };
}

/** The facts that are made of the status. */
const STATUS = /^(status|title)/;

/** The code of a row of OTHERS. */
function otherCode({ mediaType = 'application/json', shape }: ErrorBody): string {
  if (shape === undefined) return '() => ({})';
  const code = `({ contentType: ${quoted(mediaType)}, body: ${codeOf(shape)} })`;
  const uses = (name: string) => new RegExp(`\\b${name}\\b`).test(code);
  const names = ['kind', 'message', 'status'];
  const last = names.findLastIndex(uses);
  const parameters = names
    .slice(0, last + 1)
    .map((name, i) => (uses(name) ? name : '_'.repeat(i + 1)))
    .join(', ');
  return `(${parameters}) => ${code}`;
}
