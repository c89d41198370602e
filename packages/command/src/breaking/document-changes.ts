import {
  isObject,
  joinPointer,
  type Kind,
  members,
  OBJECTS,
  type OpenApiDocument,
} from 'contract-first-server/tools';
import { compareWholes, essenceOf, isAnnotation } from './decisions';
import type { ReportChange } from './schema-changes';

/**
 * Lists the components that differ and that no operation refers to, and each keyword of a security scheme that differs. What
 * operations refer to is compared with them.
 */
export function compareComponents(
  before: OpenApiDocument,
  after: OpenApiDocument,
  report: ReportChange,
): void {
  const used = new Set([...usedComponents(before), ...usedComponents(after)]);
  for (const [section, keyword] of OBJECTS.get('Components')?.keywords ?? []) {
    const kind = keyword.holds?.kind;
    if (!kind || isAnnotation('Components', section)) continue;
    const at = joinPointer('/components', section);
    const names = new Set(
      [before, after].flatMap((document) => members(document.at(at)).map(([name]) => name)),
    );
    for (const name of names) {
      const pointer = joinPointer(at, name);
      const [was, is] = [before.at(pointer), after.at(pointer)];
      if (section === 'securitySchemes' && isObject(was) && isObject(is))
        compareScheme(pointer, before, after, report);
      else if (section === 'securitySchemes' || !used.has(pointer))
        listPart(kind, pointer, was, is, `${nameOf(kind)} ${name}`, report);
    }
  }
}

/** Lists what differs in the keywords of the root that no other comparison has reported. */
export function compareRoot(
  before: OpenApiDocument,
  after: OpenApiDocument,
  report: ReportChange,
  isReported: (keyword: string) => boolean,
): void {
  compareWholes('OpenAPI', before.root, after.root, 'request', (keyword, message, breaking) => {
    report(`/${keyword}`, message, breaking);
  });
  for (const keyword of ['servers', 'security'] as const) {
    const text = ({ root }: OpenApiDocument) => essenceOf('OpenAPI', { [keyword]: root[keyword] });
    if (text(before) !== text(after) && !isReported(keyword))
      report(`/${keyword}`, `${keyword} differs`, false);
  }
}

function compareScheme(
  pointer: string,
  before: OpenApiDocument,
  after: OpenApiDocument,
  report: ReportChange,
) {
  const [was, is] = [before.follow(pointer).value, after.follow(pointer).value];
  for (const keyword of OBJECTS.get('SecurityScheme')?.keywords.keys() ?? []) {
    const text = (value: typeof was) => essenceOf('SecurityScheme', { [keyword]: value[keyword] });
    if (text(was) !== text(is)) report(joinPointer(pointer, keyword), `${keyword} differs`, false);
  }
}

function listPart(
  kind: Kind,
  pointer: string,
  was: unknown,
  is: unknown,
  title: string,
  report: ReportChange,
): void {
  if (was === undefined || is === undefined)
    report(pointer, `${title} is ${is === undefined ? 'gone' : 'new'}`, false);
  else if (essenceOf(kind, was) !== essenceOf(kind, is))
    report(pointer, `${title} differs, which no operation uses`, false);
}

/** The components that operations, webhooks and callbacks refer to, directly or not. */
function usedComponents(document: OpenApiDocument): ReadonlySet<string> {
  const found = new Set<string>();
  const scan = (value: unknown): void => {
    for (const [name, item] of typeof value === 'object' && value !== null ? Object.entries(value) : []) {
      const refs = /^(\$ref|defaultMapping)$/.test(name)
        ? [item]
        : name === 'mapping'
          ? members(item).map(([, ref]) => ref)
          : [];
      for (const ref of refs) {
        const [component] = /^\/components\/[^/]*\/[^/]*/.exec(document.references.mapped(ref) ?? '') ?? [];
        if (component !== undefined) found.add(component);
      }
      scan(item);
    }
  };
  scan(document.root['paths']);
  scan(document.root['webhooks']);
  for (const component of found) scan(document.at(component));
  return found;
}

const nameOf = (kind: Kind): string => `the ${kind.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()}`;
