import type { ValidateFunction } from 'ajv';
import { isObject } from '../document/document';
import type { Holder } from '../json/parse';
import type { Components, Holds, HoldsOf, Node } from './applicable';

/** A component with its verdicts on the values below the current root. A number is the stack depth of a pending verdict. */
interface Component {
  readonly holds: Holds;
  readonly ofObjects: Map<object, boolean | number>;
  /** Only the last verdict on a primitive is cached. */
  last: { readonly holder: Holder; readonly key: string | number; readonly value: unknown } | undefined;
  ofLast: boolean | number;
  round: number;
}

/** The keywords that refer to components. They can require the verdict on one value many times. */
const REFERRING = ['judge', 'discriminate', 'containing', 'remainingProperties', 'remainingItems', 'oneWay'];

/** The maximum size of the rewritten schemas that are compiled at start, in UTF-16 code units. */
const MAX_PREPARED = 200_000;

/**
 * Finds whether values conform to components, without the violations. A component that refers to others judges each value
 * once.
 */
export class Verdicts {
  /** The judge of a component. */
  readonly of: HoldsOf = (identifier) => this.component(identifier).holds;
  private readonly components = new Map<string, Component>();
  private readonly validators = new Map<string, ValidateFunction>();
  private root: object = {};
  private round = 0;
  private depth = 0;
  /** The lowest stack depth whose pending verdict was assumed. */
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
    private readonly schemas: Components,
    private readonly compile: (schema: Node) => ValidateFunction,
  ) {}

  /** Compiles components at start and not at a request, up to `MAX_PREPARED`. */
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
        ? (value, holder, key, root) => this.judgeOnce(component, judge, value, holder, key, root)
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

  private judgeOnce(
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
    const known = rememberedVerdict(component, value, holder, key);
    if (typeof known === 'boolean') return known;
    if (known !== undefined) {
      this.assumed = Math.min(this.assumed, known);
      return true;
    }
    const depth = this.depth++;
    const outer = this.assumed;
    this.assumed = Infinity;
    remember(component, value, holder, key, depth);
    let verdict: boolean | undefined;
    try {
      verdict = judge(value, holder, key, root);
      return verdict;
    } finally {
      // A verdict that depends on a pending one is valid for this call only.
      remember(component, value, holder, key, this.assumed < depth ? undefined : verdict);
      this.assumed = Math.min(outer, this.assumed < depth ? this.assumed : Infinity);
      this.depth = depth;
    }
  }
}

function rememberedVerdict(
  { ofObjects, last, ofLast }: Component,
  value: unknown,
  holder: Holder,
  key: string | number,
): boolean | number | undefined {
  if (typeof value === 'object' && value !== null) return ofObjects.get(value);
  // The exact number depends on its holder and key.
  return last?.holder === holder && last.key === key && Object.is(last.value, value) ? ofLast : undefined;
}

function remember(
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
