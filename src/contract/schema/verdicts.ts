import type { ValidateFunction } from 'ajv';
import { isObject } from '../document/document';
import type { Holder } from '../json/parse';
import type { Components, Holds, HoldsOf, Node } from './applicable';

/** A component, and its verdicts on the values below the present root; a number is the place on the stack of one that is being found. */
interface Component {
  readonly holds: Holds;
  readonly ofObjects: Map<object, boolean | number>;
  /** Of primitives only the last is known. */
  last: { readonly holder: Holder; readonly key: string | number; readonly value: unknown } | undefined;
  ofLast: boolean | number;
  round: number;
}

/** The keywords by which a schema refers to others, which could ask for its verdict on one value many times. */
const REFERRING = ['judge', 'discriminate', 'containing', 'remainingProperties', 'remainingItems', 'oneWay'];

/** UTF-16 code units of rewritten schemas that are compiled at start. */
const MAX_PREPARED = 200_000;

/**
 * Whether values conform to components, without a reason. A component that refers to others judges a value once, however
 * many of them ask.
 */
export class Verdicts {
  /** The judge of a component. */
  readonly of: HoldsOf = (identifier) => this.component(identifier).holds;
  private readonly components = new Map<string, Component>();
  private readonly validators = new Map<string, ValidateFunction>();
  private root: object = {};
  private round = 0;
  private depth = 0;
  /** The lowest place on the stack whose verdict is assumed by one that is being found. */
  private assumed = Infinity;
  /** Validators read it when they begin, so that one does for all. */
  private readonly context = {
    instancePath: '',
    parentData: {},
    parentDataProperty: '' as string | number,
    rootData: {},
    dynamicAnchors: {},
  };

  /** @param compile compiles a component to a validator that gives no reason */
  constructor(
    private readonly schemas: Components,
    private readonly compile: (schema: Node) => ValidateFunction,
  ) {}

  /** Compiles components, so that no request has to wait for it; of a very large document the first. */
  prepare(): void {
    let budget = MAX_PREPARED;
    for (const [identifier, schema] of Object.entries(this.schemas)) {
      budget -= JSON.stringify(schema).length;
      if (budget < 0) return;
      this.validator(identifier);
    }
  }

  private component(identifier: string): Component {
    const known = this.components.get(identifier);
    if (known) return known;
    const schema = this.schemas[identifier] ?? {};
    const judge = this.judge(identifier, schema);
    const component: Component = {
      holds: refers(schema)
        ? (value, holder, key, root) => this.remembered(component, judge, value, holder, key, root)
        : judge,
      ofObjects: new Map(),
      last: undefined,
      ofLast: false,
      round: 0,
    };
    this.components.set(identifier, component);
    return component;
  }

  private validator(identifier: string): ValidateFunction {
    const known = this.validators.get(identifier);
    const validate = known ?? this.compile(this.schemas[identifier] ?? {});
    if (!known) this.validators.set(identifier, validate);
    return validate;
  }

  private judge(identifier: string, { type }: Node): Holds {
    const { context } = this;
    let validate: ValidateFunction | undefined; // a component may refer to itself
    const judge: Holds = (value, holder, key, root) => {
      validate ??= this.validator(identifier);
      context.parentData = holder;
      context.parentDataProperty = key;
      context.rootData = root;
      return validate(value, context);
    };
    // Most branches are of one type: values of another need no call.
    if (type === 'object') {
      return (value, holder, key, root) => isObject(value) && judge(value, holder, key, root);
    }
    if (type === 'array') {
      return (value, holder, key, root) => Array.isArray(value) && judge(value, holder, key, root);
    }
    return judge;
  }

  private remembered(
    component: Component,
    judge: Holds,
    value: unknown,
    holder: Holder,
    key: string | number,
    root: object,
  ): boolean {
    if (root !== this.root) {
      this.root = root;
      this.round++;
    }
    if (component.round !== this.round) {
      component.round = this.round;
      if (component.ofObjects.size > 0) component.ofObjects.clear();
      component.last = undefined;
    }
    const known = knownOf(component, value, holder, key);
    if (typeof known === 'boolean') return known;
    if (known !== undefined) {
      this.assumed = Math.min(this.assumed, known);
      return true;
    }
    const depth = this.depth++;
    const outer = this.assumed;
    this.assumed = Infinity;
    keep(component, value, holder, key, depth);
    let verdict: boolean | undefined;
    try {
      verdict = judge(value, holder, key, root);
      return verdict;
    } finally {
      // A verdict that rests on an open one holds for this call only.
      keep(component, value, holder, key, this.assumed < depth ? undefined : verdict);
      this.assumed = Math.min(outer, this.assumed < depth ? this.assumed : Infinity);
      this.depth = depth;
    }
  }
}

function knownOf(
  { ofObjects, last, ofLast }: Component,
  value: unknown,
  holder: Holder,
  key: string | number,
): boolean | number | undefined {
  if (typeof value === 'object' && value !== null) return ofObjects.get(value);
  // The exact number depends on its holder and key.
  return last?.holder === holder && last.key === key && Object.is(last.value, value) ? ofLast : undefined;
}

function keep(
  component: Component,
  value: unknown,
  holder: Holder,
  key: string | number,
  verdict: boolean | number | undefined,
): void {
  if (typeof value === 'object' && value !== null) {
    if (verdict === undefined) component.ofObjects.delete(value);
    else component.ofObjects.set(value, verdict);
  } else {
    component.last = verdict === undefined ? undefined : { holder, key, value };
    component.ofLast = verdict ?? false;
  }
}

function refers(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(refers);
  return (
    isObject(schema) && (REFERRING.some((keyword) => keyword in schema) || Object.values(schema).some(refers))
  );
}
