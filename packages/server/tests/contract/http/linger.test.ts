import { Linger } from '../../../src/contract/http/linger';

/** A connection whose server has closed its side, and whose client sends for so many seconds. */
function secondsUntilClosed(sending: number): number {
  jest.useFakeTimers();
  const socket = {
    bytesRead: 0,
    bytesWritten: 100,
    writableLength: 0,
    isClosed: false,
    destroy() {
      this.isClosed = true;
    },
  };
  new Linger(socket, () => false).begin();
  let seconds = 0;
  for (; !socket.isClosed && seconds < 100; seconds++) {
    if (seconds < sending) socket.bytesRead++;
    jest.advanceTimersByTime(1_000);
  }
  jest.useRealTimers();
  return seconds;
}

// The first second is that of the response, which was written meanwhile.
test.each([
  [0, 2],
  [5, 6],
  [Infinity, 30],
])('a connection whose client sends for %d s is closed after %d s', (sending, expected) => {
  expect(secondsUntilClosed(sending)).toBe(expected);
});
