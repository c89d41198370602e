/** The Model Context Protocol: lists tools, and calls them. */
import {
  type CallToolResult,
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';
import { isObject, type OpenApiDocument } from '../contract/tools';
import type { JsonObject } from '../contract';
import { failure, success } from './answers';
import { objectOf, type ObjectSchema } from './schemas';
import type { Tool } from './tools';

/** Beyond so many tools, three stand for all: each tool of a list costs a model some of its context. */
const MOST_LISTED = 40;
/** How many tools `list_operations` names at once. */
const MOST_FOUND = 50;
/** Nothing changes while the server runs: a subscription has nothing but its acknowledgment. */
const MOST_SUBSCRIBED = 100;
/** Milliseconds for which a client may keep the list of tools, which changes when the server starts again. */
const KEPT = 300_000;

/** Calls a tool. @param given the arguments as they were sent, in which each number is exact */
export type Call = (tool: Tool, given: JsonObject) => Promise<CallToolResult>;

/** What the protocol needs of one POST: its parameters have exact numbers. */
export interface Posted {
  readonly call: Call;
  readonly params: unknown;
}

type Listed = Tool['listed'];

/** @param posts what belongs to the requests that the handler gets */
export function createProtocol(
  document: OpenApiDocument,
  tools: readonly Tool[],
  posts: WeakMap<Request, Posted>,
  onerror: (error: Error) => void,
) {
  const info = { name: String(document.at('/info/title')), version: String(document.at('/info/version')) };
  const known = new Map(tools.map((tool) => [tool.words.name, tool]));
  const isShort = tools.length <= MOST_LISTED;
  const listed = isShort ? tools.map((tool) => tool.listed) : threeTools(tools);

  function callTool(name: string, given: JsonObject, call: Call): CallToolResult | Promise<CallToolResult> {
    const tool = known.get(isShort ? name : String(given['name']));
    if (!listed.some((one) => one.name === name)) throw invalid('there is no tool of this name');
    if (name === 'list_operations' && !isShort) return success(found(tools, given['query']));
    if (!tool) return failure('name must be one of those that list_operations returns');
    if (isShort) return call(tool, given);
    return name === 'call_operation' ? call(tool, objectIn(given)) : success(tool.listed);
  }
  return createMcpHandler(
    ({ requestInfo }) => {
      // McpServer judges arguments itself. Here the service does.
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      const server = new Server(info, {
        capabilities: { tools: {} },
        cacheHints: { 'tools/list': { ttlMs: KEPT, cacheScope: 'public' } },
      });
      server.setRequestHandler('tools/list', () => ({ tools: [...listed] }));
      server.setRequestHandler('tools/call', async ({ params: { name } }) => {
        const posted = requestInfo && posts.get(requestInfo);
        if (!posted) throw new Error('expected a request of this server');
        return callTool(name, objectIn(posted.params), posted.call);
      });
      return server;
    },
    { maxSubscriptions: MOST_SUBSCRIBED, onerror },
  );
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/** The object `arguments` in others; empty if it is left out. */
function objectIn(given: unknown): JsonObject {
  const { arguments: inner = {} } = isObject(given) ? given : {};
  if (isObject(inner)) return inner;
  throw invalid('arguments must be an object');
}

/** The tools that have each word of a query. */
function found(tools: readonly Tool[], query: unknown) {
  const wanted = typeof query === 'string' ? query.toLowerCase().split(/\s+/) : [];
  const all = tools.filter(({ words: { name, title, description } }) => {
    const text = `${name} ${title} ${description}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  const operations = all.slice(0, MOST_FOUND).map(({ words }) => words);
  return { operations, more: all.length - operations.length };
}

const TEXT = { type: 'string' };
const OBJECT: ObjectSchema = { type: 'object' };
const WORDS = { name: TEXT, title: TEXT, description: TEXT };
const READING = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
const WRITING = { readOnlyHint: false, destructiveHint: true, idempotentHint: false };

/** The tools that stand for all. */
const threeTools = (tools: readonly Tool[]): readonly Listed[] => [
  {
    name: 'list_operations',
    title: 'List operations',
    description: `Lists the operations of this API, ${tools.length} in all, at most ${MOST_FOUND} at once: those whose name, title or description has each word of the query.`,
    annotations: READING,
    inputSchema: objectOf({ query: TEXT }, []),
    outputSchema: objectOf({
      operations: { type: 'array', items: objectOf(WORDS) },
      more: { type: 'integer' },
    }),
  },
  {
    name: 'describe_operation',
    title: 'Describe an operation',
    description: 'Returns the inputSchema and the outputSchema of an operation.',
    annotations: READING,
    inputSchema: objectOf({ name: TEXT }),
    outputSchema: objectOf({ ...WORDS, annotations: OBJECT, inputSchema: OBJECT, outputSchema: OBJECT }),
  },
  {
    name: 'call_operation',
    title: 'Call an operation',
    description:
      'Calls an operation with arguments of its inputSchema. The result conforms to its outputSchema.',
    annotations: tools.every(({ isSafe }) => isSafe) ? READING : WRITING,
    inputSchema: objectOf({ name: TEXT, arguments: OBJECT }, ['name']),
    outputSchema: OBJECT,
  },
];
