/** Streams: Swagger UI waits for the end of an answer. The items are shown as they come, with a button that stops them. */

const EVENTS = 'text/event-stream';
/** The characters of a stream that are shown: the last ones. */
const MOST = 20_000;
/** The media types of streams. */
export const streamed = new Set([EVENTS]);
/** The last stream of each operation. */
const streams = new Map();
/** Why a stream was stopped whose answer is not shown. */
const DROPPED = new Error('dropped');

export const essence = (type) => (type ?? '').split(';')[0].trim().toLowerCase();

/** Writes a list of items as the text of a stream. */
export function textOf(items, type) {
  const fieldOf = ([name, value]) =>
    `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`;
  const write = (item) =>
    type === EVENTS
      ? `${Object.entries(item).map(fieldOf).join('')}\n`
      : `${type.endsWith('json-seq') ? '\x1e' : ''}${JSON.stringify(item)}\n`;
  return items.map(write).join('');
}

/** Sends a request. Shows the items of a stream as they come, and returns its text at the end. */
async function receive(url, request, stream, show) {
  const answer = await fetch(url, { ...request, signal: stream.controller.signal });
  const type = essence(answer.headers.get('content-type'));
  if (!answer.ok || !answer.body || !streamed.has(type)) return answer;
  const separator = type === EVENTS ? /\r\n\r\n|\n\n|\r\r/ : '\n';
  const decoder = new TextDecoder();
  const reader = answer.body.getReader();
  let count = 0;
  let text = '';
  let rest = '';
  let end = 'the stream has ended';
  let timer;
  const tell = (state) => (stream.state = `${count}${count === 1 ? ' item' : ' items'}${state}`);
  const showSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      show({ ok: true, status: answer.status, headers: Object.fromEntries(answer.headers), url, text });
    }, 250);
  };
  const add = (items) => {
    const full = items
      .map((item) => item.replaceAll('\x1e', ''))
      .filter((item) => item.replace(/^:.*$/gm, '').trim() !== '');
    count += full.length;
    text += full.map((item) => item + (type === EVENTS ? '\n\n' : '\n')).join('');
    if (text.length > MOST) text = text.slice(text.indexOf('\n', text.length - MOST) + 1);
  };
  try {
    stream.isOpen = true;
    for (let piece; !(piece = await reader.read()).done; showSoon()) {
      const items = (rest + decoder.decode(piece.value, { stream: true })).split(separator);
      rest = items.pop();
      add(items);
      tell(' so far');
    }
  } catch {
    end = stream.controller.signal.aborted ? 'stopped' : 'then the connection broke off';
  }
  clearTimeout(timer);
  add([rest]);
  tell(`; ${end}`);
  stream.isOpen = false;
  return new Response(text, { status: answer.status, headers: answer.headers });
}

const keyOf = (path, method) => `${method} ${path}`;

/** A plugin of Swagger UI. */
export const streamsPlugin = {
  afterLoad({ specActions }) {
    const { execute } = this.fn;
    this.fn.execute = async (asked) => {
      const { pathName, method } = asked;
      const controller = new AbortController();
      const key = keyOf(pathName, method);
      streams.get(key)?.controller.abort(DROPPED);
      const stream = { controller, state: '', isOpen: false };
      streams.set(key, stream);
      const show = (response) => specActions.setResponse(pathName, method, response);
      const userFetch = (url, request) => receive(url, request, stream, show);
      try {
        return await execute({ ...asked, userFetch });
      } finally {
        if (controller.signal.reason === DROPPED) await new Promise(() => undefined);
      }
    };
  },
  statePlugins: {
    spec: {
      wrapActions: {
        clearResponse: (clear) => (path, method) => {
          streams.get(keyOf(path, method))?.controller.abort(DROPPED);
          streams.delete(keyOf(path, method));
          return clear(path, method);
        },
      },
    },
  },
  wrapComponents: {
    liveResponse:
      (Original, { React: { createElement } }) =>
      (props) => {
        const { state, isOpen, controller } = streams.get(keyOf(props.path, props.method)) ?? {};
        const stop = { className: 'btn cancel', onClick: () => controller.abort() };
        return createElement(
          'div',
          {},
          state &&
            createElement(
              'p',
              { role: 'status' },
              state,
              ' ',
              isOpen && createElement('button', stop, 'Stop'),
            ),
          createElement(Original, props),
        );
      },
  },
};
