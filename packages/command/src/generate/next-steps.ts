/** What a change of the document asks of the service beside its handlers. */
import { joinPointer, KEY_KINDS, OpenApiDocument, readOperations } from 'contract-first-server/tools';
import {
  type JsonObject,
  type Operation,
  type ProblemKind,
  schemeKind,
  type SchemeKind,
} from 'contract-first-server';
import { ERRORS, type OperationalKind, statusIn } from 'contract-first-server/runtime';
import { type HandlerList, INDEX, isStubFile } from './handler-list';

const VERIFIERS: Readonly<Record<SchemeKind, string>> = {
  bearer: 'bearerTokens',
  apiKey: 'apiKeys',
  basic: 'basicUsers',
};
/** The statuses that the server answers by itself for an operation. A handler answers 404, 409 and 422 too. */
export const statusesOfServer = (operation: Operation): Set<string> =>
  new Set(
    (Object.keys(ERRORS) as (ProblemKind | OperationalKind)[])
      .filter((kind) => kind !== 'notFound' && !KEY_KINDS.some((one) => one === kind))
      .map((kind) => String(statusIn(ERRORS, kind, operation))),
  );

/**
 * Sentences about security schemes and statuses that are new or gone, and path parameters with other names, each with the file
 * to change.
 *
 * @param earlier the operationId that each operation had
 * @param index the list of handlers
 */
export function nextSteps(
  was: JsonObject,
  is: JsonObject,
  earlier: ReadonlyMap<string, string>,
  index: HandlerList,
): string[] {
  const [before, after] = [new OpenApiDocument(was), new OpenApiDocument(is)];
  const [old, now] = [readOperations(before), readOperations(after)];
  const schemesOf = (operations: typeof now) =>
    new Set(operations.flatMap(({ security }) => security.flat().map(({ scheme }) => scheme)));
  const [known, demanded] = [schemesOf(old), schemesOf(now)];
  const added = [...demanded].filter((scheme) => !known.has(scheme));
  const gone = [...known].filter((scheme) => !demanded.has(scheme));
  return [
    ...added.map((scheme) => {
      const kind = schemeKind(after.follow(joinPointer('/components/securitySchemes', scheme)).value);
      const verifier = kind ? `${VERIFIERS[kind]}(...)` : 'a passport strategy';
      return `the security scheme ${scheme} is new: add ${verifier} for it to src/auth.ts, and its variables to .env.example`;
    }),
    ...gone.map(
      (scheme) =>
        `no operation requires the security scheme ${scheme} any longer: delete its verifier in src/auth.ts`,
    ),
    ...now.flatMap((operation) => {
      const { operationId, responses } = operation;
      const previous = earlier.get(operationId);
      const before = old.find((one) => one.operationId === previous);
      if (!before || previous === undefined) return [];
      const file = index.sourceOf(index.has(operationId) ? operationId : previous) ?? INDEX;
      if (isStubFile(file)) return [];
      const own = statusesOfServer(operation);
      const statuses = [...responses.keys()].filter(
        (status) => /^[1345]\d\d$/.test(status) && !own.has(status) && !before.responses.has(status),
      );
      return [
        ...renamedParameters(before, operation).map(
          ([from, to]) =>
            `the path parameter ${from} of ${operationId} is now ${to}: rename it in ${file} and ${SERVICE}`,
        ),
        ...(statuses.length === 0
          ? []
          : [
              `${operationId} may now respond with ${statuses.join(', ')}: return it in ${file} and prove it with a scenario in ${SERVICE}`,
            ]),
      ];
    }),
  ];
}

const SERVICE = 'tests/contract/service.ts';

/** The path parameters with other names, at the same places of the same path. */
function renamedParameters(was: Operation, is: Operation): [from: string, to: string][] {
  const [old, now] = [was, is].map(({ paths: [template = ''] }) => ({
    template: template.replace(PARAMETER, '{}'),
    names: [...template.matchAll(PARAMETER)].map(([, name = '']) => name),
  }));
  if (old?.template !== now?.template) return [];
  return (old?.names ?? []).flatMap((from, i) => {
    const to = now?.names[i] ?? from;
    return to === from ? [] : [[from, to]];
  });
}

const PARAMETER = /\{([^}]*)\}/g;
