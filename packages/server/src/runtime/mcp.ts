/** Loads what serves `/mcp` on demand: most services have no `MCP`, and no package of its protocol. */
import { createRequire } from 'node:module';
import type * as mcp from '../mcp';
import { InvalidConfig } from './config';

const onDemand = createRequire(__filename);
const PACKAGE = '@modelcontextprotocol/server';

/** @throws {InvalidConfig} if the package of the protocol is not installed */
export function loadMcp(): typeof mcp {
  try {
    onDemand.resolve(PACKAGE);
  } catch {
    throw new InvalidConfig(`MCP is set, but ${PACKAGE} is not installed: npm install -E ${PACKAGE}@2.4`);
  }
  return onDemand('../mcp') as typeof mcp;
}
