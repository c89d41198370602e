import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Linter } from 'eslint';
import ts from 'typescript';
import { openapiOverlay } from 'openapi-format';
import { parse } from 'yaml';
import { layOut } from '../../src/new/layout';
import { namesFrom } from '../../src/new/names';
import { readSource } from '../../src/document/source/source';
import { typesOf } from '../../src/document/publish/types';
import { OpenApiDocument } from 'contract-first-server/tools';
import type { JsonObject } from 'contract-first-server';
import { compileTexts } from '../../../../scripts/testing/compile';

/*
 * Lays out a service of each document that standard input names, and prints what the compiler and the linter of services say of
 * them: one program for all. Jest itself cannot load the configuration of ESLint.
 */

const ROOT = path.join(__dirname, '../../../..');
/** What the document decides. The programs of jest are the same for all. */
const CHECKED = /^(src\/.*|tests\/contract\/service)\.ts$/;
/** Filled by `generate`, which runs later. */
const LATER = 'src/handlers/index.ts';

/** What standard output says of a document. */
export interface Written {
  readonly file: string;
  readonly findings: readonly string[];
  /** The handlers that were written, and the stubs with the reason. */
  readonly handlers: readonly string[];
  readonly stubs: Readonly<Record<string, string>>;
}

type OverlaySet = Parameters<typeof openapiOverlay>[1]['overlaySet'];

async function layOutFrom(file: string) {
  const source = readSource(file);
  const names = namesFrom('shop', 'Shop');
  if (!names) throw new Error('expected names');
  const { files, handlers, stubs } = await layOut(source, names, '3.0.0');
  const overlaySet = parse(files['openapi/overlay.yaml'] ?? '') as OverlaySet;
  const { data } = (await openapiOverlay(structuredClone(source.document), { overlaySet })) as {
    data: JsonObject;
  };
  const code = Object.entries(files).filter(([name]) => CHECKED.test(name));
  return { code, handlers, stubs, types: typesOf(new OpenApiDocument(data)).text };
}

async function main(): Promise<void> {
  const names = JSON.parse(readFileSync(0, 'utf8')) as string[];
  const folder = mkdtempSync(path.join(tmpdir(), 'written-'));
  try {
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
    const services = [];
    for (const file of names) services.push({ file, ...(await layOutFrom(file)) });
    const files = Object.fromEntries(
      services.flatMap(({ code, types }, i) => [
        [`${i}/generated/openapi.d.ts`, types],
        ...code.map(([name, text]): [string, string] => [`${i}/${name}`, text]),
      ]),
    );
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      writeFileSync(path.join(folder, name), text);
    }
    const { program, diagnosticsOf } = compileTexts(folder, files);
    const { default: config } = (await import(
      path.join(ROOT, 'packages/command/layout/eslint.config.mjs')
    )) as { default: Linter.Config[] };
    const linter = new Linter({ cwd: folder, configType: 'flat' });
    const own = {
      files: ['**/*.ts'],
      languageOptions: { parserOptions: { projectService: false, programs: [program] } },
    };
    const findingsOf = (i: number, [name, text]: readonly [string, string]): string[] => {
      const inFolder = `${i}/${name}`;
      if (name === LATER) return [];
      const typed = diagnosticsOf(inFolder).map(
        ({ messageText, code }) => `${name}: TS${code} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
      );
      if (typed.length > 0) return typed;
      return linter
        .verify(text, [...config, own], { filename: path.join(folder, inFolder) })
        .map(({ line, ruleId, message }) => `${name}:${line}: ${ruleId} ${message}`);
    };
    const written: Written[] = services.map(({ file, code, handlers, stubs }, i) => ({
      file,
      stubs: Object.fromEntries(stubs.map(({ operation, reason }) => [operation.operationId, reason])),
      handlers: handlers.map(({ operationId }) => operationId),
      findings: code.flatMap((one) => findingsOf(i, one)),
    }));
    console.log(JSON.stringify(written));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

void main();
