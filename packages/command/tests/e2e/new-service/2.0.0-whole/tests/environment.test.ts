import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '../src/config';

/** The variables that the server reads. Those of src/auth.ts follow its verifiers. */
const variables = new Set<string>();
readConfig(
  new Proxy<NodeJS.ProcessEnv>(
    { OPS_PORT: '3001' }, // OPS_HOST is read beside it
    {
      get(given, name: string) {
        variables.add(name);
        return given[name];
      },
    },
  ),
);

const namesIn = (file: string, pattern: RegExp) => {
  const text = readFileSync(path.join(__dirname, '..', file), 'utf8');
  return [...new Set(Array.from(text.matchAll(pattern), ([, name = '']) => name))];
};

test('.env.example has every variable that the server reads, and no other', () => {
  expect(namesIn('.env.example', /^([A-Z][A-Z\d_]*)=/gm).toSorted()).toEqual([...variables].toSorted());
});

test.each([
  ['README.md', /`([A-Z][A-Z\d]*_[A-Z\d_]+)`/g],
  ['deploy/compose.yaml', /^ {6}([A-Z][A-Z\d]*_[A-Z\d_]+): /gm],
  ['deploy/kubernetes.yaml', /- (?:\{ )?name: ([A-Z][A-Z\d]*_[A-Z\d_]+)/g],
])('%s names no variable that the server does not read', (file, pattern) => {
  // Those of the database in a container, and of the tests.
  const others = /^(POSTGRES|TEST)_/;
  expect(namesIn(file, pattern).filter((name) => !variables.has(name) && !others.test(name))).toEqual([]);
});
