import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { loadService } from './load-service';
import type { ServiceTarget } from './service-target';

interface Item {
  readonly title: string;
  readonly lines: readonly string[];
}

/** What is left to write in the service of the current folder. */
function itemsOf({ stubs, waiting, toDo }: ServiceTarget, leftOut: readonly string[]): Item[] {
  return [
    {
      title: 'operations are stubs, which answer from the document: write the handlers',
      lines: stubs.map((id) => `${id}: ${fileOf(id)}`),
    },
    {
      title: 'scenarios wait for these handlers',
      lines: waiting.map(({ title, steps }) => {
        const needed = [...new Set(steps.map(({ operation }) => operation))].filter((id) =>
          stubs.includes(id),
        );
        return `${title} (${needed.join(', ')})`;
      }),
    },
    {
      title: 'promises are waived: tests/contract/service.ts',
      lines: toDo.map((waiver) => {
        const what = 'obligation' in waiver ? waiver.obligation : waiver.failure;
        return `${String(what)}: ${waiver.reason}`;
      }),
    },
    { title: 'parts of the document are left out: openapi/overlay.yaml', lines: leftOut },
  ].filter(({ lines }) => lines.length > 0);
}

const HANDLERS = 'src/handlers';
const OVERLAY = 'openapi/overlay.yaml';

/** The file with the stub of an operation. */
function fileOf(operationId: string): string {
  const made = `stub('${operationId.replace(/['\\]/g, '\\$&')}')`;
  const found = readdirSync(HANDLERS).find((name) =>
    readFileSync(path.join(HANDLERS, name), 'utf8').includes(made),
  );
  return `${HANDLERS}/${found ?? ''}`;
}

/** The parts of the document that the overlay removes. */
function leftOutParts(): string[] {
  if (!existsSync(OVERLAY)) return [];
  const { actions = [] } = parse(readFileSync(OVERLAY, 'utf8')) as {
    readonly actions?: readonly { target: string; description?: string; remove?: boolean }[];
  };
  return actions
    .filter(({ remove }) => remove === true)
    .map(({ target, description = 'without a reason' }) => `${target} (${description})`);
}

/** `make todo`: lists what is left to write, and prints nothing else. */
function main(): void {
  const items = itemsOf(loadService(), leftOutParts());
  for (const { title, lines } of items) {
    console.log(`${lines.length} ${title}`);
    for (const line of lines) console.log(`  ${line}`);
  }
  if (items.length === 0) console.log('nothing is left to do');
}

try {
  main();
} catch (error) {
  console.error(`tests/contract/: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
