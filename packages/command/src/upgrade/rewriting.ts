/** A file whose imports are rewritten: what is known of it, and what changes. */
import type TypeScript from 'typescript';
import { type Compiler, movedEntry, type Moved } from './entries';

/** What a person has to do. */
export interface Left {
  readonly line: number;
  readonly what: string;
}

/** The names that a statement asks of a module, each where it stands. */
export interface Asked {
  readonly name: string;
  readonly node: TypeScript.Node;
}

export class Rewriting {
  /** The imports that have changed. */
  count = 0;
  readonly left: Left[] = [];
  private readonly edits: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  private readonly identifiers: TypeScript.Identifier[] = [];
  readonly newLine: string;

  constructor(
    readonly ts: Compiler,
    readonly source: TypeScript.SourceFile,
  ) {
    this.newLine = source.text.includes('\r\n') ? '\r\n' : '\n';
    const collect = (node: TypeScript.Node): void => {
      if (ts.isIdentifier(node)) this.identifiers.push(node);
      ts.forEachChild(node, collect);
    };
    collect(source);
  }

  /** The entry that a node names; undefined if it names none that 2.0.0 had. */
  moved(node: TypeScript.Node | undefined): Moved | undefined {
    return node !== undefined && this.ts.isStringLiteralLike(node)
      ? movedEntry(this.ts, node.text)
      : undefined;
  }

  textOf(start: number, end: number): string {
    return this.source.text.slice(start, end);
  }

  startOf(node: TypeScript.Node): number {
    return node.getStart(this.source);
  }

  /** Whether it stands in a statement that is written anew. */
  private isWritten(start: number, end: number): boolean {
    return this.edits.some((edit) => edit.start <= start && edit.end >= end && edit.end > start);
  }

  replace(start: number, end: number, text: string): void {
    if (!this.isWritten(start, end) && this.textOf(start, end) !== text)
      this.edits.push({ start, end, text });
  }

  /** Names another entry in the quotes of a string. */
  setEntry(node: TypeScript.StringLiteralLike, entry: string): void {
    if (node.text !== entry) this.replace(this.startOf(node) + 1, node.end - 1, entry);
  }

  leave(node: TypeScript.Node, what: string): void {
    if (this.isWritten(this.startOf(node), node.end)) return;
    const line = this.source.getLineAndCharacterOfPosition(this.startOf(node)).line + 1;
    if (!this.left.some((one) => one.line === line && one.what === what)) this.left.push({ line, what });
  }

  leaveUnknown({ entry }: Moved, { name, node }: Asked): void {
    this.leave(node, `${entry} no longer has ${name}`);
  }

  /** The identifiers with a name. */
  named(name: string): readonly TypeScript.Identifier[] {
    return this.identifiers.filter(({ text }) => text === name);
  }

  /** The names that are read of a module by a name of the file: `module.Name`. */
  membersOf(local: string): Asked[] {
    const { ts } = this;
    return this.named(local).flatMap(({ parent }) => {
      if (ts.isPropertyAccessExpression(parent) && ts.isIdentifier(parent.expression))
        return parent.expression.text === local ? [{ name: parent.name.text, node: parent.name }] : [];
      if (ts.isQualifiedName(parent) && ts.isIdentifier(parent.left) && parent.left.text === local)
        return [{ name: parent.right.text, node: parent.right }];
      return [];
    });
  }

  /** The text with all changes. */
  get text(): string {
    let { text } = this.source;
    for (const edit of this.edits.toSorted((a, b) => b.start - a.start))
      text = text.slice(0, edit.start) + edit.text + text.slice(edit.end);
    return text;
  }
}
