import {
  _,
  type default as Ajv,
  type Code,
  type CodeKeywordDefinition,
  type ErrorObject,
  type KeywordCxt,
  Name,
} from 'ajv';
import type { Holder } from '../json/parse';
import type { Node } from './applicable';
import { compileExact, type ExactRule } from './exact';

/** Where a value stands. */
export interface Context {
  readonly instancePath: string;
  readonly holder: Holder;
  readonly key: string | number;
  readonly root: object;
}

export type Errors = readonly Partial<ErrorObject>[];

/** A keyword that is judged by a function; it returns the errors, undefined if the value conforms. */
type Rule<Value, Operand> = (
  operand: Operand,
  schema: Node,
  /** Only whether anything is wrong matters. */
  quiet: boolean,
) => (value: Value, context: Context) => Errors | undefined;

export const [INSTANCE_PATH, ROOT_DATA] = [new Name('instancePath'), new Name('rootData')];
const [V_ERRORS, ERRORS] = [new Name('vErrors'), new Name('errors')];

/** Defines a keyword by the function that judges its values. */
export function functionKeyword<Value, Operand>(
  keyword: string,
  type: 'object' | 'array' | undefined,
  rule: Rule<Value, Operand>,
): CodeKeywordDefinition {
  return {
    keyword,
    ...(type && { type }),
    // ajv skips the keywords after prefixItems where an array has fewer items than these.
    ...(type === 'array' && { before: 'prefixItems' }),
    code(cxt) {
      const { gen, data, it } = cxt;
      const judge = rule(cxt.schema as Operand, cxt.parentSchema, isQuiet(cxt));
      const place = (
        value: Value,
        holder: Holder,
        key: string | number,
        root: object,
        instancePath: string,
      ) => judge(value, { instancePath, holder, key, root })?.map((found) => ({ instancePath, ...found }));
      const ref = gen.scopeValue('func', { ref: place });
      const found = gen.const(
        'found',
        _`${ref}(${data}, ${it.parentData}, ${it.parentDataProperty}, ${ROOT_DATA}, ${pathOf(cxt)})`,
      );
      cxt.failResult(_`${found} !== undefined`, undefined, () => {
        report(cxt, () => found);
      });
    },
  };
}

/** Whether nobody reads the errors of a schema. */
export const isQuiet = ({ it }: KeywordCxt): boolean => it.createErrors === false;

/** The code of the place of a value. */
export const pathOf = (cxt: KeywordCxt): Code =>
  isQuiet(cxt) ? _`""` : _`${INSTANCE_PATH} + (${cxt.it.errorPath})`;

/** Adds the errors in a variable to those found so far. */
export function report(cxt: KeywordCxt, errors: () => Name): void {
  if (isQuiet(cxt)) {
    cxt.error();
    return;
  }
  const found = errors();
  cxt.gen.assign(V_ERRORS, _`${V_ERRORS} === null ? ${found}.slice() : ${V_ERRORS}.concat(${found})`);
  cxt.gen.assign(ERRORS, _`${V_ERRORS}.length`);
}

export const error = (
  keyword: string,
  message: string,
  params: object = {},
  instancePath?: string,
): Errors => [{ keyword, message, params, ...(instancePath !== undefined && { instancePath }) }];

export const exact: CodeKeywordDefinition = {
  keyword: 'exact',
  type: 'number',
  error: { message: ({ params }) => _`${params['message']}` },
  code(cxt) {
    const { gen, data, it } = cxt;
    const judge = gen.scopeValue('func', { ref: compileExact(cxt.schema as ExactRule) });
    const message = gen.const('message', _`${judge}(${data}, ${it.parentData}, ${it.parentDataProperty})`);
    cxt.setParams({ message });
    cxt.fail(_`${message} !== ""`);
  },
};

/** `bare`: a schema of which only the verdict matters, so that no errors are made. */
export const bare: CodeKeywordDefinition = {
  keyword: 'bare',
  code(cxt) {
    const valid = cxt.gen.name('valid');
    cxt.subschema({ keyword: 'bare', createErrors: false, allErrors: false }, valid);
    cxt.ok(valid);
  },
};

/** Makes the branches of a schema give no reason: the search for the first violation looks no further. */
export function silenceBranches(ajv: Pick<Ajv, 'getKeyword' | 'removeKeyword' | 'addKeyword'>): void {
  for (const keyword of ['anyOf', 'oneOf']) {
    const known = ajv.getKeyword(keyword) as CodeKeywordDefinition;
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      ...known,
      keyword,
      code(cxt, ruleType) {
        const apply = cxt.subschema.bind(cxt);
        const fail = cxt.error.bind(cxt);
        cxt.subschema = (application, valid) => apply({ ...application, createErrors: false }, valid);
        cxt.error = (append) => {
          cxt.reset(); // those of the branches are empty
          fail(append);
        };
        known.code(cxt, ruleType);
      },
    });
  }
}
