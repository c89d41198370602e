import { connect } from 'node:net';
import { encodeRequest, type Outcome, type RawRequest, readResponse } from './message';

/** Milliseconds until a response is complete. */
const RESPONSE_TIMEOUT_MS = 3000;

/** Milliseconds for a response to a request whose body is withheld: shorter than the body timeout of a server. */
const WITHHELD_TIMEOUT_MS = 1500;

/** Bytes. */
const MAX_RESPONSE_BYTES = 10_000_000;

/** Sends a request on a new connection and reads the response. Time and size are bounded. */
export function send(host: string, port: number, request: RawRequest): Promise<Outcome> {
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    let size = 0;
    const socket = connect({ host, port, noDelay: true });
    const timeout = request.sending === 'withheld' ? WITHHELD_TIMEOUT_MS : RESPONSE_TIMEOUT_MS;
    const end = (noResponse: string, closed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      const answer = readResponse(Buffer.concat(received), request.method, closed);
      resolve(answer ?? { noResponse });
    };
    const timer = setTimeout(() => {
      end(`no response within ${timeout} ms`, false);
    }, timeout);
    socket.on('data', (chunk) => {
      received.push(chunk);
      size += chunk.length;
      if (size > MAX_RESPONSE_BYTES) end(`a response of more than ${MAX_RESPONSE_BYTES} bytes`, false);
      else if (readResponse(Buffer.concat(received), request.method, false)) end('', false);
    });
    // A server may respond and close before it has read the request.
    socket.on('error', (error) => {
      end(`no response: ${error.message}`, true);
    });
    socket.on('close', () => {
      end('the connection was closed without a response', true);
    });
    socket.write(encodeRequest(request));
  });
}
