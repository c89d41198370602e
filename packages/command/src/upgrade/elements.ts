/** The names between the braces of an import or an export, with their comments. */
import type TypeScript from 'typescript';
import type { Compiler } from './entries';

type Specifier = TypeScript.ImportSpecifier | TypeScript.ExportSpecifier;

export interface Element<Node> {
  readonly node: Node;
  /** The comments that stand before it and behind it. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface Elements<Node> {
  readonly list: readonly Element<Node>[];
  /** Whether it has lines of its own. */
  readonly isMultiLine: boolean;
}

/**
 * Takes a list apart. A comment behind a comma, on its line, is about what stands before it.
 *
 * @param open the place behind the opening brace
 * @param close the place of the closing brace
 */
export function elementsOf<Node extends TypeScript.Node>(
  source: TypeScript.SourceFile,
  nodes: readonly Node[],
  open: number,
  close: number,
): Elements<Node> {
  const comments = nodes.map(() => ({ before: new Array<string>(), after: new Array<string>() }));
  let isMultiLine = false;
  for (let gap = 0; gap <= nodes.length; gap++) {
    const start = gap === 0 ? open : (nodes[gap - 1]?.end ?? open);
    const text = source.text.slice(start, nodes[gap]?.getStart(source) ?? close);
    const [behind, ahead] = [comments[gap - 1]?.after, comments[gap]?.before];
    // The gap has nothing but comments, a comma and space.
    const tokens: readonly string[] = text.match(/\/\/[^\r\n]*|\/\*[^]*?\*\/|,|\n/g) ?? [];
    const line = tokens.indexOf('\n');
    const comma = tokens.indexOf(',');
    isMultiLine ||= line !== -1;
    for (const [index, token] of tokens.entries()) {
      if (token === '\n' || token === ',') continue;
      const isBehind = index < Math.max(line, comma);
      ((isBehind ? behind : ahead) ?? ahead ?? behind)?.push(token);
    }
  }
  return {
    list: nodes.map((node, index) => ({ node, ...(comments[index] ?? { before: [], after: [] }) })),
    isMultiLine,
  };
}

/** The longest line that a list is written on. */
const WIDTH = 100;

/** A list as text. */
export function written(
  elements: readonly (Omit<Element<unknown>, 'node'> & { readonly text: string })[],
  wasMultiLine: boolean,
  newLine: string,
): string {
  const flat = elements.map(({ before, text, after }) => [...before, text, ...after].join(' ')).join(', ');
  const hasLines = /\/\/|\n/.test(flat);
  if (!hasLines && (!wasMultiLine || flat.length <= WIDTH)) return `{ ${flat} }`;
  const lines = elements.flatMap(({ before, text, after }) => [
    ...before.map((comment) => `  ${comment}`),
    `  ${text},${after.map((comment) => ` ${comment}`).join('')}`,
  ]);
  return ['{', ...lines, '}'].join(newLine);
}

/** The name that a specifier asks of the module. */
export const nameOf = ({ propertyName, name }: Specifier): string => (propertyName ?? name).text;

/** A specifier that asks for a name. What it is called in the file stays, unless `local` is another name. */
export function specifierText(ts: Compiler, node: Specifier, wanted: string, local = node.name.text): string {
  const type = node.isTypeOnly ? 'type ' : '';
  const isQuoted = node.propertyName !== undefined && ts.isStringLiteral(node.propertyName);
  const from = isQuoted ? `'${wanted}'` : wanted;
  return `${type}${wanted === local ? local : `${from} as ${local}`}`;
}
