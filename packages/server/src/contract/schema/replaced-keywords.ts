/** The keywords of ajv that have other code here, with the messages of ajv. */
import {
  _,
  type default as Ajv,
  type Code,
  type CodeKeywordDefinition,
  type KeywordCxt,
  stringify,
} from 'ajv';
import type { JsonObject } from '../document/document';

/** @param allErrors whether the checks list all violations */
export function replaceKeywords(
  ajv: Pick<Ajv, 'getKeyword' | 'removeKeyword' | 'addKeyword'>,
  allErrors: boolean,
): void {
  type Write = (cxt: KeywordCxt, known: CodeKeywordDefinition) => void;
  const replace = (keyword: string, write: Write, more: Partial<CodeKeywordDefinition> = {}): void => {
    const known = ajv.getKeyword(keyword) as CodeKeywordDefinition;
    ajv.removeKeyword(keyword);
    const code = (cxt: KeywordCxt): void => {
      write(cxt, known);
    };
    ajv.addKeyword({ ...known, $data: false, ...more, keyword, code });
  };
  replace('maxLength', (cxt) => {
    limitLength(cxt, _`${cxt.data}.length > ${cxt.schemaCode}`, _`>`);
  });
  replace('minLength', (cxt) => {
    limitLength(cxt, _`${cxt.data}.length < 2 * ${cxt.schemaCode}`, _`<`);
  });
  const early = { before: 'propertyNames' };
  replace(
    'required',
    (cxt) => {
      demand(cxt, cxt.schema as string[]);
    },
    early,
  );
  replace(
    'dependentRequired',
    (cxt) => {
      for (const [when, names] of Object.entries(cxt.schema as Record<string, string[]>))
        demand(cxt, names, when);
    },
    early,
  );
  if (!allErrors) for (const keyword of ['anyOf', 'oneOf']) replace(keyword, silence);
}

/** The number of characters of a well-formed text (JSON Schema validation, section 6.3). */
function countCharacters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xd800) count--;
  return count;
}

/**
 * ajv counts the characters of every text. The number of UTF-16 code units decides for most texts: it is at most twice the
 * number of characters.
 *
 * @param undecided the condition that the code units do not decide
 */
function limitLength(cxt: KeywordCxt, undecided: Code, beyond: Code): void {
  const count = cxt.gen.scopeValue('func', { ref: countCharacters });
  cxt.fail(_`${undecided} && ${count}(${cxt.data}) ${beyond} ${cxt.schemaCode}`);
}

/** One function for all objects: ajv takes squared time for the values that the code of a function refers to. */
const firstMissing = (object: JsonObject, names: readonly string[]): string | undefined =>
  names.find((name) => !Object.hasOwn(object, name) || object[name] === undefined);

/** The code of the condition that an object lacks one of these properties. */
function lacks({ gen, data, it }: KeywordCxt, names: readonly string[]): Code {
  const isOwn = it.opts.ownProperties && gen.scopeValue('func', { ref: Object.hasOwn });
  return anyOf(
    names.map((name) => (isOwn ? _`!${isOwn}(${data}, ${name})` : _`${data}[${name}] === undefined`)),
  );
}

/** The code of a disjunction. ajv copies code to combine it: combining halves takes `n log n` time, appending each one squared time. */
function anyOf(conditions: readonly Code[]): Code {
  const [first = _`false`, ...others] = conditions;
  if (others.length === 0) return first;
  const middle = conditions.length >> 1;
  return _`${anyOf(conditions.slice(0, middle))} || ${anyOf(conditions.slice(middle))}`;
}

/**
 * Fails if an object that has the property `when` lacks one of the others. An error names one: the first, or each in turn.
 * To find the first violation, ajv assigns the name of a missing property to a variable and tests whether that is truthy: it
 * never misses the empty name.
 */
function demand(cxt: KeywordCxt, names: readonly string[], when?: string): void {
  const trigger = when !== undefined && { property: when, depsCount: names.length, deps: names.join(', ') };
  const parts = cxt.it.allErrors ? names.map((name) => [name]) : names.length > 0 ? [names] : [];
  for (const part of parts) {
    const missing = cxt.gen.scopeValue('func', { ref: firstMissing });
    cxt.setParams({ ...trigger, missingProperty: _`${missing}(${cxt.data}, ${stringify(part)})` });
    const fails = lacks(cxt, part);
    cxt.fail(when === undefined ? fails : _`!(${lacks(cxt, [when])}) && (${fails})`);
  }
}

/** Disables the errors of branches: the check for the first violation does not use them. */
function silence(cxt: KeywordCxt, { code }: CodeKeywordDefinition): void {
  const apply = cxt.subschema.bind(cxt);
  const fail = cxt.error.bind(cxt);
  cxt.subschema = (application, valid) => apply({ ...application, createErrors: false }, valid);
  cxt.error = (append) => {
    cxt.reset(); // the branches have no errors
    fail(append);
  };
  code(cxt);
}
