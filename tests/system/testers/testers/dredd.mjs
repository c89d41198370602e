import Dredd from 'dredd';
import { EventEmitter } from 'node:events';
import { work } from './worker.mjs';

// Each documented response of each operation, by the request of its example. Dredd reads OpenAPI 3.0.
work(({ document, base, headers }) => {
  const failures = [];
  const emitter = new EventEmitter();
  const note = ({ title, message = 'error' }) => {
    failures.push(`${title}: ${message.replaceAll('\n', ' ')}`);
  };
  emitter.on('test fail', note);
  emitter.on('test error', (error, { title }) => note({ title, message: error.message }));
  const header = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const dredd = new Dredd({
    server: base,
    emitter,
    options: { endpoint: base, path: [document], header, loglevel: 'silent', reporter: [], output: [] },
  });
  return new Promise((resolve, reject) => {
    dredd.run((error) => (error ? reject(error) : resolve(failures)));
  });
});
