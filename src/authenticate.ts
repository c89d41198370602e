import { randomBytes } from 'node:crypto';
import { clientOf, createStrategies, tokenVerifier } from './auth';
import { type Config, watchTokensFile } from './config';
import { jwtVerifier } from './jwt';
import type { Authentication } from './operational';

/** Accepts the configured tokens and JWTs; if there are none, a token that is valid until the server stops. */
export async function authenticate(config: Config): Promise<Authentication> {
  const generatedToken = config.tokens || config.jwt ? undefined : randomBytes(24).toString('base64url');
  const tokens = config.tokens ?? (generatedToken === undefined ? [] : [generatedToken]);
  const clients = tokenVerifier(tokens, config.jwt && (await jwtVerifier(config.jwt)));
  return {
    strategies: createStrategies(clients.verify),
    clientOf,
    generatedToken,
    watch: (log) => {
      if (config.tokensFile === undefined) return;
      watchTokensFile(config.tokensFile, tokens, (change) => {
        if (change instanceof Error) log.error(`the tokens are unchanged: ${change.message}`);
        else {
          clients.replaceTokens(change);
          log.info('the tokens have been replaced');
        }
      });
    },
  };
}
