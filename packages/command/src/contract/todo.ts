import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { readOperations, readSentOperations } from 'contract-first-server/tools';
import type { Outcome } from '../command';
import { columnsLeft } from '../generate/columns';
import { handlersLeft } from '../generate/renamed';
import { findDocument } from '../document/publish/find-document';
import { assertFresh } from '../document/publish/fresh';
import { readSource } from '../document/source/source';
import { loadService } from './load-service';
import { type Item, itemsOf, type LeftOut } from './todo-items';

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
function leftOutParts(): LeftOut[] {
  if (!existsSync(OVERLAY)) return [];
  const { actions = [] } = parse(readFileSync(OVERLAY, 'utf8')) as {
    readonly actions?: readonly { target: string; description?: string; remove?: boolean }[];
  };
  return actions
    .filter(({ remove }) => remove === true)
    .map(({ target, description = 'without a reason' }) => ({ target, reason: description }));
}

/** The webhooks and callbacks that no file of src/ names. */
function unsent(names: readonly string[]): Item[] {
  if (names.length === 0) return [];
  const code = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(path.join('src', file), 'utf8'))
    .join('\n');
  const lines = names.filter((name) => !code.includes(`'${name}'`) && !code.includes(`"${name}"`));
  const title = `${lines.length} of the webhooks and callbacks in the document ${lines.length === 1 ? 'is' : 'are'} never sent: call senders.send(NAME, ...) of src/dependencies.ts`;
  return lines.length === 0 ? [] : [{ title, lines }];
}

const handlerItems = (lines: readonly string[]): Item[] =>
  lines.length === 0 ? [] : [{ title: 'handlers whose operations were renamed or removed', lines }];

/**
 * Lists what is left to write, and prints nothing else.
 *
 * @throws {SourceError} if the published document is stale
 * @throws {Error} if its tests cannot be loaded, or its parts cannot be opened
 */
export async function todo(): Promise<Outcome> {
  await assertFresh(readSource(findDocument()));
  const target = loadService();
  const ids = readOperations(target.described).map(({ operationId }) => operationId);
  const [missing, ...added] = columnsLeft();
  const items = [
    ...handlerItems(handlersLeft(new Set(ids))),
    // A service without a column does not start, so it says nothing else.
    ...(missing === undefined
      ? itemsOf({ ...target, ...(await target.inspect()) }, fileOf, leftOutParts())
      : [{ title: missing, lines: added }]),
    ...unsent(readSentOperations(target.described).map(({ name }) => name)),
  ];
  for (const { title, lines } of items) {
    console.log(title);
    for (const line of lines) console.log(`  ${line}`);
  }
  if (items.length === 0)
    console.log(
      'no stub, column or scenario is missing; npx contract-first contract says what is not proven',
    );
  return { status: 0, json: { items } };
}
