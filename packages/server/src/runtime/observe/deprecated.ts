import type { HookContext } from '../../contract';
import type { Metrics } from './metrics';

/**
 * Creates a hook that counts the calls of deprecated operations, and logs who still makes them.
 *
 * @param clientOf returns the name of the principal; undefined for an anonymous request
 */
export const observeDeprecated = (
  { deprecatedCall }: Pick<Metrics, 'deprecatedCall'>,
  clientOf: (principals: HookContext['principals']) => string | undefined,
) =>
  function deprecated({ operation, principals, log }: HookContext): undefined {
    if (!operation.deprecation) return;
    deprecatedCall(operation.operationId);
    log.info({ client: clientOf(principals) ?? 'anonymous' }, 'called a deprecated operation');
  };
