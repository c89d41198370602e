import { Client } from 'pg';
import { readUrl } from '../src/postgres/url';

const READ = {
  attributes: 'read-write',
  connectTimeout: 3000,
  connections: 8,
  startTimeout: 60_000,
  passwordFile: undefined,
  settings: {},
};

/** What the driver makes of the URL of each server. */
const clientsOf = (url: string) =>
  readUrl(url).servers.map((server) => {
    const { host, port, user, database } = new Client(server.url);
    return `${user}@${host} ${port} ${database}`;
  });

test.each([
  ['postgres://u:p@a:5432/db', 'a:5432/db', ['u@a 5432 db']],
  ['postgresql://u@a/db', 'a/db', ['u@a 5432 db']],
  ['postgres://u@a:1,b:2,c/db', 'a:1,b:2,c/db', ['u@a 1 db', 'u@b 2 db', 'u@c 5432 db']],
  ['postgres://u:p@ss@a,b/db', 'a,b/db', ['u@a 5432 db', 'u@b 5432 db']],
  ['postgres://u@[::1]:7,[fe80::1]/db', '[::1]:7,[fe80::1]/db', ['u@::1 7 db', 'u@fe80::1 5432 db']],
  ['postgres://u@a/db?port=7', 'a/db', ['u@a 7 db']],
  ['postgres://u@/db?host=/tmp', '/db', ['u@/tmp 5432 db']],
  ['postgres://a:0005/db?user=u', 'a:0005/db', ['u@a 5 db']],
  ['postgres://u@%2Ftmp/db', '%2Ftmp/db', ['u@/tmp 5432 db']],
  ['postgres://u@/db', '/db', ['u@localhost 5432 db']],
  ['postgres://%2F%zz%@a/db?options=a%3Db', 'a/db', ['/%zz%@a 5432 db']],
  ['postgres:///db?user=u', '/db', ['u@localhost 5432 db']],
  ['postgres://a/db?user=u&password=p', 'a/db', ['u@a 5432 db']],
])('%s', (url, subject, clients) => {
  expect(readUrl(url)).toMatchObject({ ...READ, subject: `PostgreSQL at ${subject}` });
  expect(clientsOf(url)).toEqual(clients);
});

test('its parameters, of which the driver gets its own', () => {
  const { servers, ...read } = readUrl(
    'postgres://u@a,b/db?target_session_attrs=any&connect_timeout=7&connections=2&start_timeout=0&password_file=/p%20w' +
      '&statement_timeout=9&options=-c%20work_mem%3D7MB&sslmode=no-verify&application_name=shop',
  );
  expect(read).toEqual({
    ...READ,
    subject: 'PostgreSQL at a,b/db',
    attributes: 'any',
    connectTimeout: 7000,
    connections: 2,
    startTimeout: 0,
    passwordFile: '/p w',
    settings: { statement_timeout: '9' },
  });
  for (const { url } of servers)
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      options: '-c work_mem=7MB',
      sslmode: 'no-verify',
      application_name: 'shop',
    });
});

// https://node-postgres.com/features/ssl, and the README of pg-connection-string.
test.each([
  ['ssl', ['true', '1', '0', 'no-verify']],
  ['sslmode', ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']],
  ['sslnegotiation', ['postgres', 'direct']],
  ['uselibpqcompat', ['true', 'false']],
])('%s has the values of the driver, and no other', (name, values) => {
  const given = (value: string) => readUrl(`postgres://u@a/db?${name}=${value}`).servers[0]?.url ?? '';
  for (const value of values) expect(new URL(given(value)).searchParams.get(name)).toBe(value);
  for (const value of ['', 'x', 'TRUE']) expect(() => given(value)).toThrow(`${name} of the URL: expected`);
});

const SECRET = '7531';
test.each([
  ['postgres://u:7531@a:0/db', '%XX'],
  ['postgres://u:7531@a:65536/db', '%XX'],
  ['postgres://u:7531@a:port/db', '%XX'],
  ['postgres://u:7531@a:1:2/db', '%XX'],
  ['postgres://u:7531@a,,b/db', '%XX'],
  ['postgres://u:7531@::1/db', '%XX'],
  ['postgres://u:7531@[::1/db', '%XX'],
  ['postgres://u:7531@a b/db', '%XX'],
  ['postgres://u:7531#1@a/db', '%XX'],
  ['postgres://u:7531/1@a/db', '%XX'],
  ['postgres://u:7531?1@a/db', '%XX'],
  ['postgres://u:7531@a,b/db?port=1', '%XX'],
  ['postgres://u:1@a/7531@b/db', '%XX'],
  ['postgres://u:1@a?x7531=1@b/db', 'without a name'],
  ['postgres://u@a/db?password=1&7531', 'without a name'],
  ['postgres://a/db&password=7531', '%XX'],
  ['postgres://a;password=7531/db', '%XX'],
  ['postgres://u:7531%ff@a/db', '%XX'],
  ['postgres://u:7531@a/db?port=x', 'port of the URL: expected an integer'],
  ['postgres://u:7531@a/db?host=b,c', 'host of the URL: expected one host'],
  ['postgres://u:7531@:1/db', '%XX'],
  [
    'postgres://u:7531@a/db?target_session_attrs=standby',
    'target_session_attrs of the URL: expected read-write',
  ],
  ['postgres://u:7531@a/db?target_session_attrs=', 'target_session_attrs'],
  ['postgres://u:7531@a/db?sslmode=7531', 'sslmode'],
  ['postgres://u:7531@a/db?connections=1', 'connections of the URL: expected an integer from 2 to 1000'],
  ['postgres://u:7531@a/db?connect_timeout=0', 'connect_timeout'],
  ['postgres://u:7531@a/db?connect_timeout=1.5', 'connect_timeout'],
  ['postgres://u:7531@a/db?channel_binding=require', 'channel_binding of the URL: expected one of'],
  ['postgres://u:7531@a/db?constructor=1', 'constructor'],
  ['postgres://u:7531@a/db?SSLMODE=disable', 'SSLMODE'],
  ['postgres://u:7531@a/db?sslmode=require&sslmode=disable', 'sslmode of the URL: expected it once'],
  ['postgres://u:7531@a/db?7531%40=1', 'without a name'],
  ['postgres://u:7531@a/db?password_file=/p', 'expected no password beside DATABASE_PASSWORD_FILE'],
  ['postgres://u@a/db?password_file=/p&password=7531', 'expected no password beside DATABASE_PASSWORD_FILE'],
])('%s is refused', (url, reason) => {
  let message = '';
  try {
    readUrl(url);
  } catch (error) {
    ({ message } = error as Error);
  }
  expect(message).toContain(reason);
  expect(message).not.toContain(SECRET);
});
