import { _, type default as Ajv, type Code, type CodeKeywordDefinition, type KeywordCxt } from 'ajv';
import type { JsonObject } from '../document/document';

/** The code of the condition that an object lacks one of these properties. */
function lacks({ gen, data, it }: KeywordCxt, names: readonly string[]): Code {
  const isOwn = it.opts.ownProperties && gen.scopeValue('func', { ref: Object.hasOwn });
  return names
    .map((name) => (isOwn ? _`!${isOwn}(${data}, ${name})` : _`${data}[${name}] === undefined`))
    .reduce((any, one) => _`${any} || ${one}`);
}

/** Fails if an object that has the property `when` lacks one of the others. An error names one: the first, or each in turn. */
function demand(cxt: KeywordCxt, names: readonly string[], when?: string): void {
  const trigger = when !== undefined && { property: when, depsCount: names.length, deps: names.join(', ') };
  const parts = cxt.it.allErrors ? names.map((name) => [name]) : names.length > 0 ? [names] : [];
  for (const part of parts) {
    const firstMissing = (object: JsonObject) =>
      part.find((name) => !Object.hasOwn(object, name) || object[name] === undefined);
    const missing = cxt.gen.scopeValue('func', { ref: firstMissing });
    cxt.setParams({ ...trigger, missingProperty: _`${missing}(${cxt.data})` });
    const fails = lacks(cxt, part);
    cxt.fail(when === undefined ? fails : _`!(${lacks(cxt, [when])}) && (${fails})`);
  }
}

/** The keywords that demand properties. */
const DEMANDS: Readonly<Record<string, (cxt: KeywordCxt) => void>> = {
  required: (cxt) => {
    demand(cxt, cxt.schema as string[]);
  },
  dependentRequired: (cxt) => {
    for (const [when, names] of Object.entries(cxt.schema as Record<string, string[]>))
      demand(cxt, names, when);
  },
};

/**
 * Replaces ajv's `required` and `dependentRequired`. To find the first violation, ajv assigns the name of a missing property
 * to a variable and tests whether that is truthy: it never misses the empty name.
 */
export function decideByPresence(ajv: Pick<Ajv, 'getKeyword' | 'removeKeyword' | 'addKeyword'>): void {
  for (const [keyword, code] of Object.entries(DEMANDS)) {
    const known = ajv.getKeyword(keyword) as CodeKeywordDefinition;
    ajv.removeKeyword(keyword);
    ajv.addKeyword({ ...known, keyword, $data: false, before: 'propertyNames', code });
  }
}
