import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { startChild } from '../program';
import { COMMAND } from '../testing/project';
import { type Line, lineOf } from './lines';
import type { Usage } from './servers';

/** A program that serves a document by itself. */
interface Program {
  readonly name: string;
  readonly file: string;
  readonly arguments: (document: string) => readonly string[];
}

const MOCK: Program = {
  name: 'ours',
  file: COMMAND,
  arguments: (document) => ['mock', document],
};
const SERVICE: Program = { name: 'ours', file: join(__dirname, './peers/stubs.mjs'), arguments: () => [] };
const PRISM: Program = {
  name: 'prism',
  file: join(__dirname, './node_modules/@stoplight/prism-cli/dist/index.js'),
  arguments: (document) => ['mock', '--port', '0', '--multiprocess', 'false', document],
};
const ROUNDS = 5;

/** A document of some 2 MB: 300 resources with five operations each, and what large documents share. */
function largeDocument(): object {
  const names = Array.from({ length: 300 }, (_, i) => `Thing${i}`);
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const json = (schema: object) => ({ 'application/json': { schema } });
  const description = 'What a person reads about this part. '.repeat(4);
  const member = (n: number) =>
    n % 2 === 0 ? { type: 'integer', description } : { type: 'string', description, maxLength: 100 };
  const members = (count: number, others: object) => ({
    type: 'object',
    description,
    required: ['member4'],
    properties: {
      ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`member${n}`, member(n)] as const)),
      ...others,
    },
  });
  const parts = Array.from({ length: 50 }, (_, i) => [`Part${i}`, members(8, {})] as const);
  const things = names.map((name, i) => {
    const others = { first: ref(`Part${i % 50}`), second: ref(`Part${(i * 7) % 50}`) };
    return [name, members(16, others)] as const;
  });
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const page = { $ref: '#/components/parameters/Page' };
  const paths = names.flatMap((name) => {
    const operation = (verb: string, status: number, more: object, body?: object) => ({
      operationId: `${verb}${name}`,
      description,
      responses: { [status]: { description, ...(body && { content: json(body) }) } },
      ...more,
    });
    const requestBody = { required: true, content: json(ref(name)) };
    return [
      [
        `/${name}`,
        {
          get: operation('list', 200, { parameters: [page] }, { type: 'array', items: ref(name) }),
          post: operation('create', 201, { requestBody }, ref(name)),
        },
      ],
      [
        `/${name}/{id}`,
        {
          parameters: [id],
          get: operation('get', 200, {}, ref(name)),
          put: operation('update', 200, { requestBody }, ref(name)),
          delete: operation('delete', 204, {}),
        },
      ],
    ];
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Large', version: '1' },
    servers: [{ url: '/' }],
    paths: Object.fromEntries(paths) as object,
    components: {
      schemas: Object.fromEntries([...parts, ...things]) as object,
      parameters: { Page: { name: 'page', in: 'query', schema: { type: 'integer' } } },
    },
  };
}

/** What a program has used when it listens. */
async function start(program: Program, document: string): Promise<Usage> {
  const child = startChild(program.name, program.file, program.arguments(document), {
    env: { ...process.env, PORT: '0', API_TOKENS: 'secret', LOG_LEVEL: 'error', BENCH_DOCUMENT: document },
    execArgv: ['--require', join(__dirname, './probe.mjs')],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    await child.next();
    return await child.ask<Usage>({});
  } finally {
    await child.kill();
  }
}

/** What it costs to listen with large documents, beside Prism, which compiles validators at their first use. */
export async function measureMocks(
  documents: readonly string[],
  progress: (line: string) => void,
): Promise<Line[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const large = join(folder, 'large.json');
  writeFileSync(large, JSON.stringify(largeDocument()));
  const lines: Line[] = [];
  for (const document of [large, ...documents])
    lines.push(...(await measureDocument(document, document === large, progress)));
  rmSync(folder, { recursive: true });
  return lines;
}

async function measureDocument(document: string, serves: boolean, progress: (line: string) => void) {
  const title = `${basename(document)} of ${(statSync(document).size / 1e6).toFixed(1)} MB`;
  const used = new Map<Program, Usage[]>(
    [MOCK, PRISM, ...(serves ? [SERVICE] : [])].map((program) => [program, []]),
  );
  for (let round = 1; round <= ROUNDS; round++)
    for (const [program, list] of used) {
      progress(`${title}, ${round} of ${ROUNDS}`);
      list.push(await start(program, document));
    }
  const line = (name: string, of: Program, number: (usage: Usage) => number, limit: number) => {
    const rounds = [of, PRISM].map((one) => [one.name, (used.get(one) ?? []).map(number)] as const);
    return lineOf(`${name}, ${title}`, 0, new Map(rounds), [{ of: 'prism', limit }]);
  };
  const milliseconds = ({ cpu }: Usage) => cpu / 1000;
  return [
    line('mock, CPU ms', MOCK, milliseconds, 1),
    line('mock, MiB', MOCK, ({ memory }) => memory / 2 ** 20, 1.1),
    ...(serves ? [line('service, CPU ms', SERVICE, milliseconds, 2)] : []),
  ];
}
