import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { runIn } from '../../../../scripts/testing/package';
import type { ClientOptions } from '../../src/client/runtime/types';

/** What a call of any operation answers. */
export interface AnyAnswer {
  readonly status: number | 'undocumented';
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly contentType: string | undefined;
  readonly response: Response;
}

export type AnyClient = Readonly<Record<string, (request?: object) => Promise<AnyAnswer>>>;
type CreateClient = (options: ClientOptions<object>) => AnyClient;

let clients = 0;

/** A generated client, compiled as the compiler of a team does. Its file is written to a folder of the test. */
export function loadClient(folder: string, text: string): CreateClient {
  const options = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  const file = join(folder, `client-${clients++}.js`);
  writeFileSync(file, ts.transpileModule(text, { compilerOptions: options }).outputText);
  return (createRequire(__filename)(file) as { createClient: CreateClient }).createClient;
}

/** Loads the client of a service, which `contract-first client` writes there. */
export function generateClient(service: string): CreateClient {
  const { status, output } = runIn(service, 'contract-first', 'client');
  if (status !== 0) throw new Error(output);
  return loadClient(service, readFileSync(join(service, 'generated/client.ts'), 'utf8'));
}
