import type { IncomingMessage } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Family } from 'contract-first-prover';
import { type Change, FIRST, MODIFIED, type Sent, tagOf } from './media';

/** What the cases of a family must say, and the fault. */
type Fault = readonly [says: RegExp, change: Change];

/** A change of the text of the streams. */
const text =
  (from: string, to: string): Change =>
  (sent, { url }) => {
    if (url === '/file' || sent.status !== 200) return;
    sent.body = Buffer.from(sent.body.toString('latin1').replace(from, to), 'latin1');
  };
const cut =
  (bytes: number): Change =>
  (sent) => {
    sent.body = sent.body.subarray(0, -bytes);
  };

/** A change of the answers of the file with some statuses, to requests with a header like this. */
const where =
  (statuses: readonly number[], name: string, pattern: RegExp, change: (sent: Sent) => void): Change =>
  (sent, { url, method, headers }) => {
    const value = String(headers[name] ?? (name === 'method' ? method : ''));
    if (url === '/file' && method !== 'PUT' && statuses.includes(sent.status) && pattern.test(value))
      change(sent);
  };
const any = /^/;
const always = (change: (sent: Sent) => void, ...statuses: number[]): Change =>
  where(statuses, '', any, change);

/** Answers requests with such a header as if they were without it. */
export const ignoring = (name: string, pattern = /./): Change =>
  where([206, 304, 416], name, pattern, (sent) => {
    sent.status = 200;
    sent.headers['Content-Type'] = 'application/octet-stream';
    sent.body = FIRST;
  });
const part = (sent: Sent, first: number, last: number): void => {
  sent.status = 206;
  sent.headers['Content-Range'] = `bytes ${first}-${last}/${FIRST.length}`;
  sent.body = FIRST.subarray(first, last + 1);
};
const partly = (name: string, pattern = /./, status = 200): Change =>
  where([status], name, pattern, (sent) => {
    part(sent, 0, 0);
  });
const unchanged = (name: string, pattern = /./): Change =>
  where([200], name, pattern, (sent) => {
    sent.status = 304;
    sent.body = Buffer.alloc(0);
  });
/** Sets a header, or removes it. */
const header = (name: string, value: string | undefined, ...statuses: number[]): Change =>
  always(
    ({ headers }) => {
      if (value === undefined) Reflect.deleteProperty(headers, name);
      else headers[name] = value;
    },
    ...statuses,
  );
/** Changes a header of answers to such requests. */
const rewritten = (name: string, from: RegExp, to: string, asked: RegExp = any): Change =>
  where([206], 'range', asked, ({ headers }) => {
    headers[name] = (headers[name] ?? '').replace(from, to);
  });
const onHead =
  (change: Change): Change =>
  (sent, request) => {
    if (request.method === 'HEAD') change(sent, request);
  };
const onPut =
  (change: (sent: Sent, headers: IncomingMessage['headers']) => void): Change =>
  (sent, { method, headers }) => {
    if (method === 'PUT' && headers['if-match'] !== undefined) change(sent, headers);
  };

/** One fault each, by operation, the family of the cases that must fail, and a name. */
const TABLE: Readonly<Record<string, Readonly<Partial<Record<Family, Readonly<Record<string, Fault>>>>>>> = {
  getEvents: {
    baseline: {
      'an event misses its data': [/an event that clients drop/, text('data: {"n":2}\r\n', '')],
      'data is not split by line': [/a line that clients ignore/, text('\ndata: 1}', '\n1}')],
      'the JSON in data is wrong': [/-2\}" as item 2/, text(':2}', ':-2}')],
      'data is no JSON': [/as item 0/, text('1}', '1')],
      'an event is not documented': [/as item 1/, text('event:text', 'event:other')],
      'retry is no number': [/"retry: soon", a line/, text('retry: 5', 'retry: soon')],
      'an id has NUL': [/a line that clients ignore/, text('id: 1', 'id: \0')],
      'the last event has no end': [/without the empty line after it/, cut(2)],
    },
    representations: {
      'events are compressed': [
        /expected events as they are/,
        (sent, { headers }) => {
          if (headers['accept-encoding'] !== 'gzip') return;
          Object.assign(sent.headers, { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' });
          sent.body = gzipSync(sent.body);
        },
      ],
    },
  },
  getLines: {
    baseline: {
      'an item breaks its schema': [/as item 2: .*string/, text('2}', '"2"}')],
      'an item has an unlisted property': [/got \/extra in item 1/, text('"note"', '"extra":1,"note"')],
      'an item is on two lines': [/is not JSON/, text('{"n":2', '{\n"n":2')],
      'the last item is cut': [/as item 2: # is not JSON/, cut(2)],
      'a text is not in UTF-8': [/a stream in UTF-8/, text('"a"', '"\xff"')],
      'the stream breaks': [
        /broke after 3 items had come: the connection was (closed|reset)/,
        (sent) => (sent.end = 'reset'),
      ],
    },
    representations: {
      'HEAD has another media type': [
        /the Content-Type of GET/,
        onHead(({ headers }) => (headers['Content-Type'] = 'text/plain')),
      ],
    },
  },
  getRecords: {
    baseline: {
      'a record has no line feed': [/without a line feed/, cut(1)],
      'a record has no separator': [/before the first record separator/, text('\x1e', '')],
      'a record breaks its schema': [/as item 1/, text('\n1}', '\nnull}')],
    },
  },
  getFile: {
    baseline: {
      'what has an ETag is not stored': [/may be stored/, header('Cache-Control', 'no-store', 200)],
    },
    representations: {
      'Range is ignored': [/expected 206 with the bytes/, ignoring('range')],
      'a range has a byte too few': [
        /exactly the bytes/,
        always((sent) => (sent.body = sent.body.subarray(1)), 206),
      ],
      'a range has other bytes': [
        /exactly the bytes/,
        always((sent) => (sent.body = FIRST.subarray(7, 7 + sent.body.length)), 206),
      ],
      'a suffix is taken for a start': [
        /Content-Range: bytes 1549/,
        where([206], 'range', /^bytes=-1$/, (sent) => {
          part(sent, 1, FIRST.length - 1);
        }),
      ],
      'an end beyond the file': [/Content-Range/, rewritten('Content-Range', /-1549/, '-1648', /-1649/)],
      'the size is wrong': [/Content-Range/, rewritten('Content-Range', /\d+$/, '9')],
      'the size is missing': [/Content-Range/, header('Content-Range', undefined, 206)],
      'a part of what is beyond the end': [/expected 416, got 206/, partly('range', any, 416)],
      'the whole for what is beyond the end': [/expected 416, got 200/, ignoring('range', /15(50-|55)/)],
      '416 without the size': [/bytes \*\/1550, got none/, header('Content-Range', undefined, 416)],
      'another unit is a range': [/200 with the whole/, partly('range', /^lines/)],
      'HEAD has a range': [/no meaning for HEAD/, onHead(partly('range'))],
      'If-Range is ignored': [/200 with the whole/, partly('if-range')],
      'If-Range compares weakly': [/200 with the whole/, partly('if-range', /^W/)],
      'If-Range compares dates by order': [/200 with the whole/, partly('if-range', /GMT/)],
      'If-Range never holds': [/206 with the bytes/, ignoring('if-range')],
      '206 has another media type': [/got text\/plain/, header('Content-Type', 'text/plain', 206)],
      '206 has no ETag': [/ETag of the whole in a 206/, header('ETag', undefined, 206)],
      '304 has no Vary': [/Vary of the whole in a 304/, header('Vary', undefined, 304)],
      '304 has another ETag': [/ETag of the whole in a 304/, header('ETag', '"4"', 304)],
      'If-None-Match is ignored': [/expected 304/, ignoring('if-none-match')],
      'If-None-Match compares strongly': [/expected 304/, ignoring('if-none-match', /^W/)],
      'If-None-Match takes one tag': [/expected 304/, ignoring('if-none-match', /,/)],
      'If-None-Match does not take *': [/expected 304/, ignoring('if-none-match', /^\*/)],
      'any If-None-Match is 304': [/200 with the whole, got 304/, unchanged('if-none-match')],
      'HEAD knows no conditions': [/expected 304/, onHead(ignoring('if-none-match'))],
      'If-Modified-Since is ignored': [/expected 304/, ignoring('if-modified-since')],
      'any If-Modified-Since is 304': [/whole, got 304/, unchanged('if-modified-since', /:59/)],
      'a date that is none is 304': [/whole, got 304/, unchanged('if-modified-since', /yes/)],
      'dates come before tags': [/whole, got 304/, unchanged('if-modified-since', new RegExp(MODIFIED))],
      'a coding that nobody takes': [
        /expected no coding/,
        where([200], 'accept-encoding', /^gzip;q=0$/, (sent) => {
          sent.headers['Content-Encoding'] = 'gzip';
          sent.body = gzipSync(sent.body);
        }),
      ],
      'what is coded is other content': [
        /the content of the answer without this header/,
        where([200], 'accept-encoding', /br$/, (sent) => (sent.body = brotliCompressSync(FIRST.subarray(1)))),
      ],
      'codings do not vary': [/Vary: Accept-Encoding/, header('Vary', 'Accept', 200, 206, 304)],
      'a coding keeps the strong ETag': [/another strong ETag/, header('ETag', tagOf(FIRST), 200)],
      'HEAD has another length': [/the Content-Length of GET/, onHead(header('Content-Length', '7', 200))],
      'HEAD has another ETag': [/the ETag of GET/, onHead(header('ETag', '"7"', 200))],
    },
  },
  putFile: {
    representations: {
      'preconditions are ignored': [/expected 412/, onPut((sent) => (sent.status = 204))],
      'no precondition holds': [/no 412 for the current ETag/, onPut((sent) => (sent.status = 412))],
    },
  },
};

/** One row for each fault. */
export const FAULTS = Object.entries(TABLE).flatMap(([operation, families]) =>
  (Object.entries(families) as [Family, Readonly<Record<string, Fault>>][]).flatMap(([family, faults]) =>
    Object.entries(faults).map(([name, [says, change]]) => ({ name, operation, family, says, change })),
  ),
);
