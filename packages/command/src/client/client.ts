/** Writes the client of a document: one file of TypeScript that imports nothing. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type OpenApiDocument, readOperations } from 'contract-first-server/tools';
import { type Remark, securitySchemes, schemeKind } from 'contract-first-server';
import { typesOf } from '../document/publish/types';
import { valuesText } from '../generate/values';
import { plansOf } from './plans';

/** The files of runtime/, in the order in which they stand in a client. Only the first one has exports of the client. */
const RUNTIME = 'types plan write bodies match read streams answer request retry call'.split(' ');

/** The text of the runtime, without imports. */
const runtimeText = (): string =>
  RUNTIME.map((name, i) => {
    const text = readFileSync(path.join(__dirname, 'runtime', `${name}.ts`), 'utf8');
    const own = text.replace(/^import [^;]*;\n/gm, '');
    return i === 0 ? own : own.replace(/^export /gm, '');
  }).join('\n');

export interface GeneratedClient {
  readonly text: string;
  /** The schemas for which no type was found: it is `unknown`. */
  readonly untyped: readonly Remark[];
  /** Their number. */
  readonly operations: number;
}

/** @throws {SourceError} if no types are found */
export function clientOf(document: OpenApiDocument): GeneratedClient {
  const { text, untyped } = typesOf(document, undefined, 'client');
  const plans = plansOf(document);
  const calls = readOperations(document).map(({ operationId, method, paths, pointer }) => {
    const { summary } = document.follow(pointer).value;
    const title = `${method} ${paths[0] ?? ''}${typeof summary === 'string' ? `: ${summary}` : ''}`;
    const id = JSON.stringify(operationId);
    const head = method === 'HEAD' ? ", 'HEAD'" : '';
    return `  /** ${title.replaceAll('*/', '*\\/').replace(/\s+/g, ' ')} */\n  ${id}: Call<operations[${id}]${head}>;\n`;
  });
  const secrets = securitySchemes(document).flatMap(({ name, value }) => {
    if (value['type'] === 'mutualTLS') return [];
    const basic =
      schemeKind(value) === 'basic' ? '<{ readonly username: string; readonly password: string }>' : '';
    return `  readonly ${JSON.stringify(name)}?: Secret${basic};\n`;
  });
  const runtime = runtimeText();
  const declared = new Set(
    [...runtime.matchAll(/^(?:const|function|class) (\w+)/gm)].map(([, name]) => name),
  );
  const values = valuesText(document, (name) => declared.has(name));
  return {
    untyped,
    operations: calls.length,
    text: `${text.replace(/^\/\*\*[^]*?\*\//, HEADER)}
/** The secrets of the security schemes, by name. */
export interface Credentials {
${secrets.join('')}}

/** The operations of the document. */
export interface Client {
${calls.join('')}}

/**
 * Creates a client.
 *
 * @throws {UnwritableRequest} if baseUrl is not a URL
 */
export const createClient = (options: ClientOptions<Credentials>): Client => connect(plans(), options) as Client;

${values}
${runtime}
const plans = (): Plans => JSON.parse(${literalOf(JSON.stringify(plans))}) as Plans;
`,
  };
}

export const HEADER = `/**
 * A client, made by \`contract-first client\`. Do not edit; generate it again. It has no dependencies: it uses fetch.
 */`;

/** A text of TypeScript, in lines of single quotes. */
const literalOf = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
