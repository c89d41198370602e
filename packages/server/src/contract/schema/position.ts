import type { Holder } from '../json/values';
import type { Applicables, Node } from './applicable';

/** Converts the value at `holder[key]`, in place. Returns whether it changed anything. */
export type Convert = (holder: Holder, key: string | number) => boolean;

/** A position in a value, with the schemas that describe the values there. */
export interface Position {
  readonly nodes: readonly unknown[];
  readonly shapes: Applicables<Shape>;
}

/** The shape of a value by all schemas that apply to it. */
export interface Shape {
  readonly int64: boolean;
  /** Whether the value is readOnly in a request, writeOnly in a response. */
  readonly marked: boolean;
  /** Whether properties are listed, and no schema admits others. */
  readonly closed: boolean;
  /** The listed properties. */
  readonly properties: ReadonlyMap<string, Position>;
  /** The position of a property of any other name; undefined if that depends on the name. */
  readonly otherProperties: Position | 'none' | undefined;
  readonly schemas: readonly Described[];
  readonly defaults: readonly (readonly [name: string, fill: string])[];
  readonly prefixItems: readonly Position[];
  readonly items: Position | undefined;
  /** The components of `contains`, which describe the items that conform to them. */
  readonly contained: readonly string[];
}

/** A schema that applies to a value. */
export interface Described {
  readonly node: Node;
  /** Schemas that apply with it to the same value: its `unevaluated*` do not describe what these evaluate. */
  readonly within: readonly Node[];
}
