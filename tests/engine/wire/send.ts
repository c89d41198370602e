import { connect } from 'node:net';
import { encodeRequest, type Outcome, type RawRequest, readResponse } from './message';

/** Milliseconds that an answer may take. */
const RESPONSE_TIMEOUT_MS = 3000;

/** Milliseconds for an answer that needs no byte of a body: enough for a busy machine, too short for a body timeout. */
const WITHHELD_TIMEOUT_MS = 1500;

/** Most bytes of one response. */
const MAX_RESPONSE_BYTES = 10_000_000;

/** Sends a request on a connection of its own and reads the one answer to it, within a bounded time. */
export function send(host: string, port: number, request: RawRequest): Promise<Outcome> {
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    let size = 0;
    const socket = connect({ host, port, noDelay: true });
    const patience = request.sending === 'withheld' ? WITHHELD_TIMEOUT_MS : RESPONSE_TIMEOUT_MS;
    const end = (silence: string, closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      const answer = readResponse(Buffer.concat(received), request.method, closed);
      resolve(answer ?? { silence });
    };
    const timer = setTimeout(() => {
      end(`no answer within ${patience} ms`, false);
    }, patience);
    socket.on('data', (chunk) => {
      received.push(chunk);
      size += chunk.length;
      if (size > MAX_RESPONSE_BYTES) end(`an answer of more than ${MAX_RESPONSE_BYTES} bytes`, false);
      else if (readResponse(Buffer.concat(received), request.method, false)) end('', false);
    });
    // The server may close before it has read everything: what it said until then is its answer.
    socket.on('error', (error) => {
      end(`no answer: ${error.message}`, true);
    });
    socket.on('close', () => {
      end('the connection was closed without an answer', true);
    });
    socket.write(encodeRequest(request));
  });
}
