import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { deployment } from '../pack/deployment';

const ROOT = join(__dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

type Container = Readonly<Record<string, unknown>> & {
  env: { name: string; value?: string }[];
  ports: { name: string; containerPort: number }[];
  volumeMounts: { name: string; mountPath: string }[];
};
interface Deployment {
  spec: {
    template: {
      metadata: { labels: object; annotations: Record<string, string> };
      spec: {
        containers: [Container];
        initContainers: [Container];
        terminationGracePeriodSeconds: number;
        volumes: { name: string }[];
      };
    };
  };
}
interface Compose {
  services: {
    server: { build: { context: string }; environment: Record<string, string>; stop_grace_period: string };
  };
}

describe.each([
  ['this repository', '', 'scripts/deploy'],
  ['a new service', 'packages/command/layout', 'packages/command/layout/deploy'],
])('the deployment files of %s', (_, root, folder) => {
  const documented = new Map(
    [...read(join(root, '.env.example')).matchAll(/^([A-Z_]+)=(.*)/gm)].map(([, name = '', value]) => [
      name,
      value,
    ]),
  );
  const { server } = (parse(read(join(folder, 'compose.yaml'))) as Compose).services;
  const manifest = read(join(folder, 'kubernetes.yaml'));
  const [deployment, service] = parseAllDocuments(manifest).map((document) => document.toJS() as object);
  const { spec: pod, metadata } = (deployment as Deployment).spec.template;
  const [container] = pod.containers;
  const dockerfile = read(join(root, 'Dockerfile'));
  const image = new Map(
    [...dockerfile.matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name = '', value]) => [name, value]),
  );

  test('set only variables that the server reads', () => {
    const named = [
      ...[...image.keys()].filter((name) => name !== 'API_TOKENS'),
      ...Object.keys(server.environment),
      ...container.env.map(({ name }) => name),
    ].filter((name) => !name.startsWith('TOKEN_SECRETS')); // of a service with users, which its .env.example names
    expect(named.length).toBeGreaterThan(7);
    expect(named.filter((name) => !documented.has(name))).toEqual([]);
  });

  test('name a Dockerfile that exists', () => {
    expect(existsSync(join(ROOT, folder, server.build.context, 'Dockerfile'))).toBe(true);
  });

  test('use the port of the image, and probes of the server', () => {
    const [http, ops] = container.ports;
    expect([image.get('PORT'), image.get('OPS_PORT')]).toEqual([
      String(http?.containerPort),
      String(ops?.containerPort),
    ]);
    expect(service).toMatchObject({
      spec: { selector: metadata.labels, ports: [{ targetPort: http?.name }] },
    });
    expect(metadata.annotations['prometheus.io/port']).toBe(String(ops?.containerPort));
    const asked = [...manifest.matchAll(/httpGet: .* port: (\w+)/g)];
    expect(asked.map(([, port]) => port)).toEqual(Array(3).fill(ops?.name));
    expect(dockerfile).toMatch(/HEALTHCHECK [^]*process\.env\.OPS_PORT\}\/-\/ready/);
    const probed = [...manifest.matchAll(/path: (\/-\/\w+)/g)].map(([, path]) => path);
    expect(new Set(probed)).toEqual(new Set(['/-/metrics', '/-/live', '/-/ready']));
  });

  test('let load balancers notice the end of a server, and cover all of its shutdown', () => {
    const delays = [
      image.get('SHUTDOWN_DELAY'),
      server.environment['SHUTDOWN_DELAY'],
      container.env.find(({ name }) => name === 'SHUTDOWN_DELAY')?.value,
    ];
    expect(delays).toEqual(['5000', '5000', '5000']);
    expect(container).not.toHaveProperty('lifecycle');
    const flush = /CLOSE_TIMEOUT = ([\d_]+)/
      .exec(read('packages/server/src/runtime/process/shutdown.ts'))?.[1]
      ?.replace('_', '');
    const seconds = (5000 + Number(documented.get('SHUTDOWN_TIMEOUT')) + Number(flush)) / 1000;
    const stopTimeout = /--stop-timeout (\d+)/.exec(dockerfile)?.[1];
    for (const grace of [server.stop_grace_period, pod.terminationGracePeriodSeconds, stopTimeout])
      expect(parseInt(String(grace))).toBeGreaterThan(seconds);
  });

  test('give the server a place that it can write to, for files of requests', () => {
    const writable = /^VOLUME (\S+)/m.exec(dockerfile)?.[1];
    expect(image.get('UPLOAD_FOLDER')).toBe(`${writable}/uploads`);
    const mount = container.volumeMounts.find(({ mountPath }) => mountPath === writable);
    expect(pod.volumes).toContainEqual({ name: mount?.name, emptyDir: {} });
  });

  test('give the migration the image, the database, the limits and the rights of the server', () => {
    const [{ name, command, env, ...rest }] = pod.initContainers;
    expect(name).toBe('migrate');
    expect(dockerfile).toContain(JSON.stringify(command).replaceAll(',', ', ').replace(', "migrate"', ''));
    expect(env).toEqual(container.env.filter((variable) => variable.name === 'DATABASE_URL'));
    expect(container).toMatchObject(rest);
  });
});

test('scripts/deploy/ has the files of deploy/ of a created service', async () => {
  const files = await deployment(); // `make generate` writes them
  expect(readdirSync(join(ROOT, 'scripts/deploy')).map((name) => `scripts/deploy/${name}`)).toEqual([
    ...files.keys(),
  ]);
  for (const [file, text] of files) expect(read(file)).toBe(text);
});

/** As Docker reads .dockerignore: the last line that matches a file, or a folder above it, decides. */
function isIgnored(file: string): boolean {
  const lines = read('.dockerignore').trim().split('\n');
  const last = lines.findLast((line) => {
    const pattern = line.replace(/^!/, '').replaceAll('.', '\\.').replaceAll('*', '[^/]*');
    return new RegExp(`^${pattern}(?:/|$)`).test(file);
  });
  return last?.startsWith('!') === false;
}

test('the image copies files that exist and are not in .dockerignore', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, files = '']) =>
    files.split(' '),
  );
  expect(copied).toContain('src');
  expect(isIgnored('packages/server/dist/tools.js')).toBe(true);
  for (const file of copied) {
    expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
    expect([file, isIgnored(file)]).toEqual([file, false]);
  }
});
