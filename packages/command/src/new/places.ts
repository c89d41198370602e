/** What stands in the places of packages/command/layout/ for one document. */
import { quoted } from '../generate/handler-names';
import type { Stores } from './tables/stores';
import { codeOf, propertyName } from './code';
import { factsIn, numberPlace, recognizable, says } from './errors/error-body';
import type { ErrorBody, OtherBody, OwnKind } from './errors/errors';
import { type Project, projectPlaces } from './project-places';
import { fill, type Places, withoutUnusedImports } from './fill';
import { isWanted } from './extras';
import { isRetriable, withKeys } from './idempotent';
import { layoutFiles, readLayout, UNDOTTED } from './layout-files';
import { openerOf, partOf, type Table } from './tables/tables';
import type { Sequence, StoredExample, Todo } from './tests';
import { columnsCode, credentialsCode, type Users } from './users/user-code';

/** What a document decides about its service. */
export interface Decided extends Project {
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
  const usual: Readonly<Record<string, Places>> = { ...projectPlaces(decided), ...sourcePlaces(decided) };
  const repeats = decided.stores.written.some(({ operation }) => isRetriable(operation));
  const places = repeats ? withKeys(usual, `${pascal}Store`) : usual;
  const isOwn = (file: string) =>
    file !== 'openapi/overlay.yaml' && (decided.users !== undefined || file !== USERS);
  const all = layoutFiles().filter(isOwn);
  const files = all.filter((file) => isWanted(file, decided.extras));
  const unknown = Object.keys(places).filter((file) => !all.includes(file));
  if (unknown.length > 0) throw new Error(`the layout has no file ${unknown.join(', ')}`);
  return Object.fromEntries(
    files.map((file) => {
      const text = fill(file, readLayout(file), places[file] ?? {}, names);
      const own = UNDOTTED.includes(file) ? `.${file}` : fill(file, file, {}, names);
      return [own, file.endsWith('.ts') ? withoutUnusedImports(text) : text];
    }),
  );
}

/** The environment of a service that sends, in its contract tests: no line of the log for each request that leaves. */
const SENDING = " LOG_LEVEL: 'silent', WEBHOOK_RETRY_TIME: '0', WEBHOOK_SECRETS: `whsec_${'0'.repeat(32)}`,";
/** Only a service with users has it. */
const USERS = 'src/storage/users.ts';

const strategyCode = ({ prefix }: Users): string =>
  `({ tokens }: Dependencies) => signedTokenStrategy(tokens${prefix === undefined ? '' : `, { prefix: ${quoted(prefix)} }`})`;

function sourcePlaces(decided: Decided): Record<string, Places> {
  const { names, schemes, users, senders, stores, kinds, usual, errorType, others, examples } = decided;
  const { tables, written } = stores;
  const number = numberPlace(usual.shape);
  const rejecting = (status: number) =>
    written.filter(({ rejections }) => rejections.some((rejection) => rejection.status === status));
  const operationsWith = (status: number) => [
    ...new Set([
      ...(status === 404 ? decided.absent : []),
      ...rejecting(status).map(({ operation }) => operation.operationId),
    ]),
  ];
  const verifiers = [...new Set(schemes.map(({ verifier }) => verifier))].sort();
  const saysStatus = says(usual.shape, STATUS);
  const members = others.length === 0 ? recognizable(usual.shape) : '';
  const first = tables[0]?.variable ?? 'users';
  const lines = (line: (table: Table) => string) => tables.map((table) => `${line(table)}\n`).join('');
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
      '#imports': `import { ${[...verifiers, ...(users ? ['signedTokenStrategy'] : []), 'type PrincipalsOf', 'type VerifiersFor'].join(', ')} } from 'contract-first-server/runtime';\n`,
      '#schemes': [
        ...schemes.map(
          ({ name, verifier, secrets, issuer }) =>
            `${propertyName(name)}: ${verifier}({ secrets: '${secrets}'${issuer === undefined ? '' : `, issuer: '${issuer}'`} }),\n`,
        ),
        ...(users ? [`${propertyName(users.scheme)}: ${strategyCode(users)},\n`] : []),
      ].join(''),
    },
    'src/config.ts': { '#users': users !== undefined, '#senders': senders },
    'src/dependencies.ts': { '#users': users !== undefined, '#senders': senders },
    'src/errors.ts': {
      '{ components }': `{ ${errorType.startsWith('components[') ? 'components' : 'operations'} }`,
      "components['schemas']['Problem']": errorType,
      "'application/problem+json'": quoted(usual.mediaType ?? ''),
      "OwnKind = 'noSuchResource' | 'conflict'": `OwnKind = ${kinds.map(({ kind }) => quoted(kind)).join(' | ') || 'never'}`,
      '#kinds': kinds
        .map(({ kind, status, number }) => `${kind}: { status: ${status}, number: ${number} },\n`)
        .join(''),
      '#errorBody': `export function errorBody(kind: Kind, message: string${saysStatus ? ', status = ERRORS[kind].status' : ''}): ErrorBody {
        return ${codeOf(usual.shape)};
      }\n`,
      '#usual': `return { status, contentType: MEDIA_TYPE, body: errorBody(kind, message${saysStatus ? ', status' : ''}) };\n`,
      '#others': others.length > 0,
      '#other': others
        .map(
          ({ operationId, status, ...other }) =>
            `${quoted(`${operationId} ${status}`)}: ${otherCode(other)},\n`,
        )
        .join(''),
      "numberIn('code')":
        number === undefined ? '() => undefined' : `numberIn(${number.map(quoted).join(', ')})`,
    },
    'src/handlers/index.ts': { '#handlers': false },
    'src/bike-shed/bike-shed-store.ts': {
      '#imports': `${lines((table) => `import type { ${partOf(table)} } from '../storage/${table.file}';`)}${users ? "import type { Users } from '../storage/users';\n" : ''}`,
      '#members': `${lines((table) => `readonly ${table.name}: ${partOf(table)};`)}${users ? 'readonly users: Users;\n' : ''}`,
    },
    'src/storage/open.ts': {
      "mark: 'Bike'": `mark: ${quoted(names.mark)}`,
      neighbors: first,
      '#imports': `${lines((table) => `import { ${table.variable}, ${openerOf(table)} } from './${table.file}';`)}${users ? "import { users, usersIn } from './users';\n" : ''}`,
      '#members': `${lines((table) => `${table.name}: ${openerOf(table)}(database),`)}${users ? 'users: usersIn(database),\n' : ''}`,
      '#tables': `${lines(({ variable }) => `createTable(${variable}),`)}${users ? 'createTable(users),\n' : ''}`,
    },
    'src/storage/stored.ts': {
      '#imports': tables
        .filter(({ variable }) => new RegExp(`[:{] ${variable}\\b`).test(stores.places))
        .map(({ variable, file }) => `import { ${variable} } from './${file}';\n`)
        .join(''),
      '#stored': stores.places,
    },
    ...(users && { [USERS]: userPlaces(users) }),
    'src/seed.ts': {
      ...examplePlaces('.', 'store'),
      '#stored':
        examples
          .map(
            ({ table: { name } }) =>
              `await unlessViolated(['unique'], store.${name}.add(examples.${name}));\n`,
          )
          .join('') || 'await store.ready(); // add your development data here\n',
    },
    'tests/contract/service.ts': {
      ...examplePlaces('../../src', 'dependencies.store'),
      '#members': members === '' ? '' : `body: ${members},\n`,
      '#config': `const config = readConfig({ DATABASE_URL: process.env['TEST_DATABASE_URL'] ?? 'memory:',${users ? " TOKEN_SECRETS: 'of-the-contract-tests'," : ''}${senders ? SENDING : ''} });\n`,
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

function userPlaces({ facts: { columns, isCounted }, name }: Users): Places {
  const types = new Set([
    ...(isCounted ? ['IDENTITY'] : []),
    'TEXT',
    ...[...columns.values()].map(({ type }) => type),
  ]);
  return {
    '#imports': `import { type Database, equal, insertInto, type NewRowOf, type RowOf, select, table, ${[...types].join(', ')} } from 'contract-first-database';\n`,
    '#columns': columnsCode({ columns, isCounted }),
    email: name,
    ...(isCounted && { 'TEXT.primaryKey()': 'IDENTITY', 'id: string': 'id: bigint' }),
  };
}

/** The facts that are made of the status. */
const STATUS = /^(status|title)/;

/** The code of a row of OTHERS. */
function otherCode({ mediaType = 'application/json', shape }: ErrorBody): string {
  if (shape === undefined) return '() => ({})';
  const code = `({ contentType: ${quoted(mediaType)}, body: ${codeOf(shape)} })`;
  const facts = factsIn(shape).join();
  const uses = (name: string) => new RegExp(`\\b${name}\\b`).test(facts);
  const names = ['kind', 'message', 'status'];
  const last = names.findLastIndex(uses);
  const parameters = names
    .slice(0, last + 1)
    .map((name, i) => (uses(name) ? name : '_'.repeat(i + 1)))
    .join(', ');
  return `(${parameters}) => ${code}`;
}
