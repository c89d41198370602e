/** What a service has whose operations document the header Idempotency-Key: its handlers repeat their answers. */
import {
  documentsKey,
  jsonPath,
  KEY_HEADER,
  leastKeyLength,
  type OpenApiDocument,
  viewSchemas,
} from 'contract-first-server/tools';
import type { Operation } from 'contract-first-server';
import type { Places } from './fill';
import type { Lack } from './lack';

/** Whether clients may retry an operation. */
export const isRetriable = (operation: Operation): boolean =>
  operation.method !== 'GET' && documentsKey(operation);

/** The handler that `code` writes, as one that repeats its answers. */
export const retriable = (operation: Operation, code: string): string =>
  isRetriable(operation) ? `idempotent(store, ${code.replace('}) => {', '}, store) => {')})` : code;

const REFUSALS: readonly (readonly [status: number, description: string])[] = [
  [409, 'A request with the same Idempotency-Key is in progress.'],
  [422, 'The Idempotency-Key belongs to another request.'],
];
/** With 422 alone, an invalid request would be answered 422, too. */
const INVALID = [400, 'The request does not match the document.'] as const;

/**
 * The answers of such a handler that its operation does not document.
 *
 * @param lacks what else it does not document
 */
export function keyRefusals(operation: Operation, lacks: readonly Lack[]) {
  if (!isRetriable(operation)) return [];
  const known = new Set([
    ...operation.responses.keys(),
    ...lacks.map((lack) => ('status' in lack ? String(lack.status) : '')),
  ]);
  const all = known.has('400') || known.has('422') ? REFUSALS : [...REFUSALS, INVALID];
  return all.flatMap(([status, description]) =>
    known.has(String(status)) ? [] : { operation, status, description },
  );
}

/** What the schema of the header must say, so that it admits no key that the server rejects as too short. */
export function keyActions(document: OpenApiDocument, operations: readonly Operation[]) {
  const least = new Map<string, number>();
  for (const operation of operations.filter(isRetriable))
    for (const { name, in: place, schemaPointer } of operation.parameters) {
      if (place !== 'header' || name.toLowerCase() !== KEY_HEADER || schemaPointer === undefined) continue;
      const { formats, patterns, values, least: bounds } = viewSchemas(document, [schemaPointer], 'request');
      const isOpen = formats.size + patterns.size === 0 && !values;
      const { pointer } = document.follow(schemaPointer);
      const length = Math.max(leastKeyLength(operation), least.get(pointer) ?? 0);
      if (isOpen && Number(bounds.get('Length')?.value ?? 0) < length) least.set(pointer, length);
    }
  return [...least].map(([pointer, minLength]) => ({
    target: jsonPath(document, pointer),
    description: 'the server rejects a shorter key',
    update: { minLength },
  }));
}

/** Places with more text in the regions that they replace. */
const more = (places: Places | undefined, added: Readonly<Record<string, string>>): Places => ({
  ...places,
  ...Object.fromEntries(
    Object.entries(added).map(([place, text]) => {
      const known = places?.[place];
      return [place, typeof known === 'string' ? known + text : text];
    }),
  ),
});

/**
 * The places of a service, with what its store and its configuration need besides.
 *
 * @param store the name of its type
 */
export function withKeys(places: Readonly<Record<string, Places>>, store: string): Record<string, Places> {
  const [open, domain] = ['src/storage/open.ts', 'src/bike-shed/bike-shed-store.ts'];
  const members = places[open]?.['#members'];
  const parts = typeof members === 'string' ? members : '';
  return {
    ...places,
    '.env.example': more(places['.env.example'], {
      'DATABASE_START_TIMEOUT=60000': `DATABASE_START_TIMEOUT=60000

# How long the answer to a request with an Idempotency-Key is kept for retries: a time like 90s, 15m, 24h or 7d, at most 30d.
IDEMPOTENCY_TTL=24h`,
    }),
    'src/config.ts': more(places['src/config.ts'], {
      'readEnvironment,': 'readEnvironment,\n  readIdempotencyTtl,',
      'readonly databaseUrl: string;':
        'readonly databaseUrl: string;\n  /** How long answers to requests with an Idempotency-Key are kept. Milliseconds. */\n  readonly idempotencyTtl: number;',
      'credentials: readCredentials(verifiers, variables),':
        'idempotencyTtl: readIdempotencyTtl(variables),\n    credentials: readCredentials(verifiers, variables),',
    }),
    'src/dependencies.ts': more(places['src/dependencies.ts'], {
      'openStore(config.databaseUrl, observer)':
        'openStore(config.databaseUrl, config.idempotencyTtl, observer)',
    }),
    [open]: {
      ...more(places[open], {
        'createTable,': 'createTable,\n  type Database,',
        '#imports': `import { IDEMPOTENCY_KEYS, onceIn } from 'contract-first-server/runtime';

/** The parts of the store, over the database or over a transaction. */
const partsIn = (database: Database) => ({
${parts}});
`,
        '#tables': '...IDEMPOTENCY_KEYS,\n',
        'url: string, observer?: StoreObserver':
          'url: string, idempotencyTtl: number, observer?: StoreObserver',
      }),
      '#members': '...partsIn(database),\nonce: onceIn(database, partsIn, idempotencyTtl),\n',
    },
    [domain]: more(places[domain], {
      '#imports': "import type { Once } from 'contract-first-server/runtime';\n",
      '#members': `/** Runs a handler once for each Idempotency-Key, in a transaction. */
  readonly once: Once<Omit<${store}, keyof Store | 'once'>>;\n`,
    }),
  };
}
