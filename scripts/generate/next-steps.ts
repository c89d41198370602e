/** What a change of the document asks of the service beside its handlers. */
import {
  joinPointer,
  type JsonObject,
  OpenApiDocument,
  readOperations,
  schemeKind,
  type SchemeKind,
} from '../../src/contract';
import { handlerName } from './handler-names';

const VERIFIERS: Readonly<Record<SchemeKind, string>> = {
  bearer: 'bearerTokens',
  apiKey: 'apiKeys',
  basic: 'basicUsers',
};
/** The statuses of refusals by the server itself, and of its failures. */
const OF_THE_SERVER = /^(401|403|405|406|408|413|415|429|431|5..|default|.XX)$/;

/** Sentences about security schemes and statuses that are new or gone, each with the file to change. */
export function nextSteps(was: JsonObject, is: JsonObject): string[] {
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
        `no operation demands the security scheme ${scheme} any more: delete its verifier in src/auth.ts`,
    ),
    ...now.flatMap(({ operationId, pointer, responses }) => {
      const earlier = old.find((operation) => operation.pointer === pointer);
      const statuses = [...responses.keys()].filter(
        (status) => !status.startsWith('2') && !OF_THE_SERVER.test(status) && !earlier?.responses.has(status),
      );
      if (!earlier || statuses.length === 0) return [];
      return `${operationId} may answer ${statuses.join(', ')} now: return it in src/handlers/${handlerName(operationId).file}.ts, and prove it by a scenario of tests/contract/service.ts`;
    }),
  ];
}
