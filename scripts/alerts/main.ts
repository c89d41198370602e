import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { stringify } from 'yaml';
import { formatTable } from 'contract-first-prover';
import { ownFolder } from '../testing/folder';
import { freePort, startPostgres } from '../testing/postgres';
import { startRedis } from '../testing/redis';
import { progress, runProgram, within } from '../program';

/*
 * Brings each alert of scripts/deploy/prometheus-rules.yaml about once, with servers, PostgreSQL and Prometheus: at first none may
 * fire, then each must. Minutes of the rules are seconds here, so that the whole takes one or two. At the end every query of
 * the dashboard must have an answer.
 */

const ROOT = join(__dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, 'scripts/deploy', file), 'utf8');
const RULES = read('prometheus-rules.yaml')
  .replace(/for: \d+m/g, 'for: 1s')
  .replace(/\[\d+m\]/g, '[6s]')
  .replace(/offset \d+m/g, 'offset 6s');
/** Milliseconds in which an alert must fire, and in which none may at first. */
const PATIENCE = 60_000;
const CALM = 12_000;
/** Descriptors and connections of the odd server. */
const DESCRIPTORS = 200;
const CONNECTIONS = 165;

interface Answer {
  readonly data: {
    readonly alerts: readonly { readonly state: string; readonly labels: { readonly alertname: string } }[];
    readonly result: readonly unknown[];
  };
}

const children = new Set<ChildProcess>();
const killAll = () => {
  for (const child of children) child.kill('SIGKILL');
};
process.once('exit', killAll);

/** Starts a program. Resolves when it has printed that it is ready. */
async function start(ready: RegExp, env: Readonly<Record<string, string>>, ...command: readonly string[]) {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env: { PATH: process.env['PATH'], ...env } });
  children.add(child);
  let output = '';
  await within(
    PATIENCE,
    new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (text) => {
          output = (output + String(text)).slice(-10_000);
          if (ready.test(output)) resolve();
        });
      child.once('exit', () => {
        reject(new Error(`${command.join(' ')} has ended: ${output}`));
      });
    }),
    `${command.join(' ')} has not become ready`,
  );
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  children.delete(child);
  child.removeAllListeners('exit').kill('SIGKILL');
  await once(child, 'exit');
}

async function main(folder: string): Promise<void> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const database = await postgres.createDatabase();
  const [plants, odd, short, own] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const urlOf = (port: number) => `http://127.0.0.1:${port}`;
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  const serve = (port: number, env: Readonly<Record<string, string>>, ...command: readonly string[]) =>
    start(/listening on/, { PORT: `${port}`, API_TOKENS: 'secret', LOG_LEVEL: 'fatal', ...env }, ...command);
  const program = [process.execPath, join(ROOT, 'dist/main.js')] as const;
  const startShort = () => serve(short, { DATABASE_URL: 'memory:' }, ...program);
  // One batch at a time: a lock lets writes wait.
  const plantServer = await serve(plants, { DATABASE_URL: `${database}?connections=2` }, ...program);
  const store = `redis://127.0.0.1:${redis.port}`;
  const limit = { RATE_LIMIT: '1000000/1s', RATE_LIMIT_STORE: store, RATE_LIMIT_WHEN_AWAY: 'allow' };
  const oddServer = await serve(
    odd,
    { MAX_CONNECTIONS: `${CONNECTIONS}`, ...limit },
    ...['sh', '-c', `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`],
    ...[process.execPath, join(__dirname, './service.mjs'), folder],
  );
  let shortServer = await startShort();

  const targets = [plants, odd, short].map((port) => `127.0.0.1:${port}`);
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [file('rules.yaml', RULES)],
    scrape_configs: [{ job_name: 'plant-store', metrics_path: '/-/metrics', static_configs: [{ targets }] }],
  };
  await start(
    /ready to receive web requests/,
    {},
    'prometheus',
    `--config.file=${file('prometheus.yaml', stringify(config))}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${own}`,
  );
  const ask = async (path: string) => (await (await fetch(`${urlOf(own)}/api/v1/${path}`)).json()) as Answer;
  const firing = async () =>
    (await ask('alerts')).data.alerts.flatMap(({ state, labels }) =>
      state === 'firing' ? labels.alertname : [],
    );

  const get = (path: string) => fetch(urlOf(odd) + path).then((response) => response.text());
  const create = (id: number) =>
    fetch(`${urlOf(plants)}/plants`, {
      method: 'POST',
      headers: { Authorization: 'Bearer secret', 'Content-Type': 'application/json' },
      body: JSON.stringify({ id, name: 'Monstera' }),
    }).then((response) => response.text());
  let ids = 0;
  const open = (count: number, request = '') => {
    const sockets = Array.from({ length: count }, () =>
      connect(odd, '127.0.0.1')
        .on('error', () => undefined)
        .pause(),
    );
    for (const socket of sockets) socket.write(request);
    return () => {
      for (const socket of sockets) socket.destroy();
    };
  };

  // Until the servers have been scraped, none is there.
  while ((await ask('query?query=up==1')).data.result.length < 3 || (await firing()).includes('NoServer'))
    await sleep(200);
  for (const end = Date.now() + CALM; Date.now() < end;) {
    await Promise.all([create(++ids), fetch(urlOf(odd)), sleep(100)]);
    progress('calm');
    const early = await firing();
    if (early.length > 0) throw new Error(`expected no alert at first, got ${early.join(', ')}`);
  }

  const rows: (string | number)[][] = [['alert', 'seconds until it fired']];
  /** Does what brings alerts about, again and again until they all fire. */
  async function bring(alerts: readonly string[], act: () => unknown): Promise<void> {
    const began = Date.now();
    const left = new Set(alerts);
    while (left.size > 0) {
      progress([...left].join(', '));
      if (Date.now() - began > PATIENCE) throw new Error(`has not fired: ${[...left].join(', ')}`);
      await act();
      for (const name of await firing())
        if (left.delete(name)) rows.push([name, Math.round((Date.now() - began) / 1000)]);
      await sleep(200);
    }
  }

  await bring(['Faults'], () => get('/fail'));
  await bring(['StreamsBroken'], () => get('/items').catch(() => undefined));
  await bring(['EventLoopBlocked'], () => get('/block'));
  redis.mood = 'silent';
  await bring(['RequestsUncounted'], () => get('/fail'));
  redis.mood = 'well';
  const idle = open(CONNECTIONS);
  await bring(['FewDescriptors', 'ConnectionsDropped'], () => {
    open(3)();
  });
  idle();
  await bring(['UnreadAnswers'], async () => {
    const leave = open(20, 'GET /long HTTP/1.1\r\nHost: a\r\n\r\n');
    await sleep(2000);
    leave();
  });

  const client = new Client(database);
  await client.connect();
  await client.query('BEGIN; LOCK TABLE plants IN EXCLUSIVE MODE');
  const creating = new Set<Promise<unknown>>();
  await bring(['WritesWait', 'CommitsFail', 'CommitsSlow', 'Unavailable', 'SlowRequests'], () => {
    while (creating.size < 450) {
      const created = create(++ids).catch(() => undefined);
      creating.add(created);
      void created.finally(() => creating.delete(created));
    }
  });
  await client.end();
  await Promise.all(creating);

  await bring(['ServerRestarts'], async () => {
    await stop(shortServer);
    shortServer = await startShort();
    await sleep(1100);
  });
  await stop(shortServer);
  await bring(['ServerDown'], () => undefined);

  const { panels } = JSON.parse(read('grafana-dashboard.json')) as {
    panels: { targets: { expr: string }[] }[];
  };
  for (const { expr } of panels.flatMap(({ targets }) => targets)) {
    const query = expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'plant-store');
    const { data } = await ask(`query?query=${encodeURIComponent(query)}`);
    if (data.result.length === 0) throw new Error(`expected an answer of Prometheus, got none to ${query}`);
  }
  await stop(oddServer);
  await stop(plantServer);
  await bring(['NoServer'], () => undefined);

  const alerts = [...RULES.matchAll(/alert: (\w+)/g)].map(([, name]) => name);
  const missing = alerts.filter((name) => !rows.some(([seen]) => seen === name));
  if (missing.length > 0) throw new Error(`nothing brings about ${missing.join(', ')}`);
  console.log(formatTable(rows));
  killAll();
  await Promise.all([postgres.remove(), redis.close()]);
}

runProgram('alerts', async () => {
  if (spawnSync('prometheus', ['--version']).status !== 0)
    throw new Error('prometheus missing: apt-get install --no-install-recommends prometheus');
  await main(ownFolder());
});
