import type { ValidateFunction } from 'ajv';
import { isObject } from '../document/document';
import type { Holder } from '../json/values';
import type { Components, Holds, HoldsOf, Node } from './applicable';

/** The keywords that refer to components. They can ask whether one value conforms many times. */
const REFERRING = [
  'component',
  'discriminate',
  'containing',
  'remainingProperties',
  'remainingItems',
  'oneWay',
];

/**
 * Finds whether values conform to components, without the violations. A component that refers to others judges each value
 * once.
 */
export class Conformance {
  private readonly known = new Map<string, Holds>();
  private readonly validators = new Map<string, ValidateFunction>();
  private root: object = {};
  /** The number of roots so far. */
  private round = 0;
  /** The number of pending results, each of which may depend on those before it. */
  private depth = 0;
  /** The lowest depth whose pending result was assumed. */
  private assumed = Infinity;
  /** Validators read it at their start, so they can share one. */
  private readonly context = {
    instancePath: '',
    parentData: {},
    parentDataProperty: '' as string | number,
    rootData: {},
    dynamicAnchors: {},
  };

  /** @param compile compiles a component to a validator without errors */
  constructor(
    private readonly components: Components,
    private readonly compile: (schema: Node) => ValidateFunction,
  ) {}

  /** Whether a value conforms to a component. */
  readonly of: HoldsOf = (identifier) => {
    const known = this.known.get(identifier);
    if (known) return known;
    const schema = this.components[identifier] ?? {};
    const judge = this.judge(identifier, schema);
    const holds = refers(schema) ? this.once(judge) : judge;
    this.known.set(identifier, holds);
    return holds;
  };

  /**
   * Compiles all components at start: no request meets a fault of the compiler or of the engine.
   *
   * @param fault receives the identifier of each component that cannot be compiled
   */
  prepare(fault: (identifier: string, error: unknown) => void): void {
    for (const identifier of Object.keys(this.components)) {
      try {
        this.validator(identifier);
      } catch (error) {
        fault(identifier, error);
      }
    }
  }

  private validator(identifier: string): ValidateFunction {
    const known = this.validators.get(identifier);
    const validate = known ?? this.compile(this.components[identifier] ?? {});
    if (!known) this.validators.set(identifier, validate);
    return validate;
  }

  private judge(identifier: string, { type }: Node): Holds {
    const { context } = this;
    let validate: ValidateFunction | undefined; // a component may refer to itself
    return (value, holder, key, root) => {
      // Most branches are of one type: values of another need no call.
      if (type === 'object' ? !isObject(value) : type === 'array' && !Array.isArray(value)) return false;
      validate ??= this.validator(identifier);
      context.parentData = holder;
      context.parentDataProperty = key;
      context.rootData = root;
      return validate(value, context);
    };
  }

  /** Judges each object below a root once, and a primitive value again only if another came in between. */
  private once(judge: Holds): Holds {
    /** A number is the depth of a pending result. */
    const objects = new Map<object, boolean | number>();
    let last: { holder: Holder; key: string | number; value: unknown; conforms: boolean } | undefined;
    let round = 0;
    return (value, holder, key, root) => {
      if (root !== this.root) {
        this.root = root;
        this.round++;
      }
      if (round !== this.round) {
        round = this.round;
        if (objects.size > 0) objects.clear();
        last = undefined;
      }
      if (typeof value !== 'object' || value === null) {
        // The exact number depends on its holder and key.
        if (last?.holder === holder && last.key === key && Object.is(last.value, value)) return last.conforms;
        last = { holder, key, value, conforms: judge(value, holder, key, root) };
        return last.conforms;
      }
      const known = objects.get(value);
      if (typeof known === 'boolean') return known;
      if (known !== undefined) {
        this.assumed = Math.min(this.assumed, known);
        return true;
      }
      const depth = this.depth++;
      const outer = this.assumed;
      this.assumed = Infinity;
      objects.set(value, depth);
      let conforms: boolean | undefined;
      try {
        conforms = judge(value, holder, key, root);
        return conforms;
      } finally {
        // A result that depends on a pending one is valid for this call only.
        const depends = this.assumed < depth;
        if (conforms === undefined || depends) objects.delete(value);
        else objects.set(value, conforms);
        this.assumed = Math.min(outer, depends ? this.assumed : Infinity);
        this.depth = depth;
      }
    };
  }
}

function refers(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(refers);
  return (
    isObject(schema) && (REFERRING.some((keyword) => keyword in schema) || Object.values(schema).some(refers))
  );
}
