/** OpenAPI documents as people write them: YAML or JSON, in one file or several. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { bundle, createConfig, lint, type NormalizedProblem, YamlParseError } from '@redocly/openapi-core';
import { isMap, isNode, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { type Finding, isObject, type JsonObject } from '../src/contract/document';

/** What is wrong with a source, a line for each: file, line, column and sentence. */
export class SourceError extends Error {
  override name = 'SourceError';
}

/**
 * The document in one piece, with what it refers to in other files.
 *
 * @throws {SourceError}
 */
export async function readSource(file: string): Promise<JsonObject> {
  const { bundle: bundled, problems } = await bundle({ ref: file, config: await createConfig({}) }).catch(
    (error: unknown) => {
      if (error instanceof YamlParseError) throw new SourceError(relative(error.message));
      const reason = error instanceof Error ? relative(error.message) : String(error);
      throw new SourceError(`${relative(file)}: expected an OpenAPI document: ${reason}`);
    },
  );
  if (problems.length > 0) throw new SourceError([...new Set(problems.map(problemLine))].join('\n'));
  const parsed: unknown = bundled.parsed;
  if (!isObject(parsed))
    throw new SourceError(`${relative(file)}: expected an OpenAPI document, got no object`);
  return parsed;
}

/** Of what is wrong in the same way, as many are told at once. */
const MOST = 20;

/**
 * What neither OpenAPI nor JSON Schema knows, such as `maximun`, a line for each: JSON Schema has a validator pass it
 * over, and so the value would go unchecked.
 */
export async function unknownKeywords(file: string): Promise<string[]> {
  const problems = await lint({ ref: file, config: await createConfig({ rules: { struct: 'error' } }) });
  // The rest of this rule is for the server to say, which refuses to start.
  const unknown = problems.filter(({ message }) => message.endsWith('is not expected here.'));
  const lines = unknown.slice(0, MOST).map((problem) => {
    const known = problem.suggest.map((name) => `\`${name}\``).join(' or ');
    return `${problemLine(problem)} ${known === '' ? 'Begin it with x- if it is your own' : `Do you mean ${known}?`}`;
  });
  return unknown.length > MOST ? [...lines, `and ${unknown.length - MOST} more of this kind`] : lines;
}

function problemLine({ message, location: [at] }: NormalizedProblem): string {
  const place = at ? locate(at.source.absoluteRef, at.pointer?.slice(1) ?? '') : '';
  return `${place}${place && ': '}${relative(message)}`;
}

/** Findings, each with where in the sources it stands. */
export function located(file: string, findings: readonly Finding[]): string {
  return findings
    .map(({ pointer, message }) => `${locate(file, pointer)}: #${pointer}: ${message}`)
    .join('\n');
}

/** Where a JSON pointer leads, as `file:line:column`; as far as it leads, if it does not lead to its end. */
function locate(file: string, pointer: string): string {
  const lines = new LineCounter();
  let node: unknown = parseDocument(readFileSync(file, 'utf8'), { lineCounter: lines }).contents;
  let found: Node | null = null;
  const steps = pointer.split('/').slice(1);
  for (const [i, step] of steps.entries()) {
    const elsewhere = isMap(node) ? node.get('$ref') : undefined;
    if (typeof elsewhere === 'string' && !elsewhere.startsWith('#')) {
      const [other = '', fragment = ''] = elsewhere.split('#');
      return locate(path.resolve(path.dirname(file), other), [fragment, ...steps.slice(i)].join('/'));
    }
    const key = step.replace(/~1/g, '/').replace(/~0/g, '~');
    const pair: Pair | undefined = isMap(node)
      ? node.items.find(({ key: name }) => isScalar(name) && String(name.value) === key)
      : undefined;
    node = pair ? pair.value : isSeq(node) ? node.items[Number(key)] : undefined;
    const named = pair?.key ?? node;
    if (!isNode(named)) break;
    found = named;
  }
  const { line, col } = lines.linePos(found?.range?.[0] ?? 0);
  return `${relative(file)}:${line}:${col}`;
}

/** File names as a person sees them from here. */
const relative = (text: string) => text.replaceAll(`${process.cwd()}/`, '');
