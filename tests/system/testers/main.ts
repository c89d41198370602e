import { subscribe } from 'node:diagnostics_channel';
import { documentBasePath } from '../../../scripts/prove/document/reader';
import { asObject, asString, type JsonObject } from '../../../scripts/prove/json/tree';
import type { Target } from '../../../scripts/prove/target';
import { type Group, GROUPS } from '../mutants/groups';
import { drawResults, record, type Score } from './results';
import { openSwitch, type Switch } from './switch';
import { openTester, type Tester, TESTERS, type Verdict, writeDocument } from './tester';

/*
 * `make testers`: every mutant that can be served, as a black box, put to contract testers. ONLY=dredd,engine runs these;
 * PLANTS=1 leaves the documents of the tests out.
 */

let requests = 0;
subscribe('http.server.request.start', () => (requests += 1));

async function groups(plantsOnly: boolean): Promise<Group[]> {
  const made = await Promise.all(GROUPS.slice(0, plantsOnly ? 1 : undefined).map(([, make]) => make()));
  return made.map((group) => ({
    ...group,
    mutants: group.mutants.filter(({ oracle, equivalent }) => !oracle && equivalent === undefined),
  }));
}

/** The headers with which each request of a tester is authorized, where the document has security schemes. */
function headersOf({ document, credentials }: Target): Record<string, string> {
  const schemes = asObject(asObject(document['components'])['securitySchemes']);
  return Object.fromEntries(
    Object.entries(schemes).flatMap(([name, value]) => {
      const { valid = '' } = credentials[name] ?? {};
      const scheme = asObject(value);
      if (asString(scheme['type']) === 'apiKey') {
        return asString(scheme['in']) === 'header' ? [[asString(scheme['name']), valid]] : [];
      }
      const isBasic = asString(scheme['scheme']).toLowerCase() === 'basic';
      return [
        ['Authorization', isBasic ? `Basic ${Buffer.from(valid).toString('base64')}` : `Bearer ${valid}`],
      ];
    }),
  );
}

/** The document as a user of the server has it: with its URL. */
const documentAt = (document: JsonObject, base: string): JsonObject => ({
  ...document,
  servers: [{ url: base }],
});

async function score(tester: Tester, { name: group, sound, mutants }: Group, port: Switch): Promise<Score> {
  const program = openTester(tester);
  const base = `http://127.0.0.1:${port.port}${documentBasePath(sound.document)}`;
  const job = {
    folder: program.folder,
    document: writeDocument(program.folder, documentAt(sound.document, base), tester),
    base,
    headers: headersOf(sound),
    credentials: sound.credentials,
    ...tester.options,
  };
  let seconds = 0;
  const attempt = async (target: Target): Promise<Verdict> => {
    const running = await target.start();
    port.to(running.port);
    const began = performance.now();
    try {
      return await program.run(job);
    } finally {
      seconds += (performance.now() - began) / 1000;
      port.to(0);
      await running.close();
    }
  };
  try {
    await attempt(sound); // starts the tester
    [requests, seconds] = [0, 0];
    const first = await attempt(sound);
    const sent = requests;
    const second = await attempt(sound);
    const alarms = new Set(
      [first, second].flatMap((verdict) => ('failures' in verdict ? verdict.failures : [])),
    );
    const result = { caught: [] as string[], missed: [] as string[], broken: {} as Record<string, string> };
    if ('error' in first) result.broken['the correct server'] = first.error;
    for (const { name, target } of mutants) {
      if ('error' in first) {
        result.missed.push(name);
        continue;
      }
      progress(`${tester.title}, ${group}: ${name}`);
      const verdict = await attempt(target).catch((error: unknown) => ({ error: String(error) }));
      if ('error' in verdict) result.broken[name] = verdict.error.slice(0, 200);
      const isCaught = 'failures' in verdict && verdict.failures.some((failure) => !alarms.has(failure));
      result[isCaught ? 'caught' : 'missed'].push(name);
    }
    const perRun = seconds / ('error' in first ? 2 : mutants.length + 2);
    return { group, falseAlarms: [...alarms], ...result, requests: sent, seconds: Number(perRun.toFixed(2)) };
  } finally {
    program.close();
  }
}

function progress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line.slice(0, 100)}`);
}

async function main(only: string | undefined, plantsOnly: boolean): Promise<void> {
  const unknown = only?.split(',').find((name) => TESTERS.every((tester) => tester.name !== name));
  if (unknown !== undefined)
    throw new Error(
      `expected ONLY to list some of ${TESTERS.map(({ name }) => name).join(', ')}, got ${unknown}`,
    );
  const port = await openSwitch();
  const made = await groups(plantsOnly);
  for (const tester of TESTERS.filter(({ name }) => only?.split(',').includes(name) ?? true)) {
    const scores: Score[] = [];
    for (const group of tester.readsAll ? made : made.slice(0, 1)) {
      scores.push(await score(tester, group, port));
      console.error(
        `${tester.title}, ${group.name}: ${scores.at(-1)?.caught.length ?? 0} of ${group.mutants.length}`,
      );
    }
    record(tester, scores);
  }
  port.close();
  progress('');
  console.log(drawResults());
}

main(process.env['ONLY'], process.env['PLANTS'] === '1').catch((error: unknown) => {
  console.error(`tests/system/testers/: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
