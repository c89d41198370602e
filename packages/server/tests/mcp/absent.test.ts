import { InvalidConfig } from 'contract-first-server/runtime';
import { loadMcp } from 'contract-first-server/tools';

jest.mock('node:module', () => ({
  createRequire: () => ({
    resolve() {
      throw new Error('not found');
    },
  }),
}));

test('without the package of the protocol, MCP says which to install', () => {
  const message =
    'MCP is set, but @modelcontextprotocol/server is not installed: npm install -E @modelcontextprotocol/server@2.4';
  expect(() => loadMcp()).toThrow(new InvalidConfig(message));
});
