import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

const ROOT = join(__dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const documented = new Set([...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name));

const compose = parse(read('scripts/deploy/compose.yaml')) as {
  services: {
    server: { build: { context: string }; environment: Record<string, string>; stop_grace_period: string };
  };
};
const [deployment, service] = parseAllDocuments(read('scripts/deploy/kubernetes.yaml')).map(
  (document) => document.toJS() as Record<string, unknown>,
);
const { spec: pod, metadata } = (
  deployment as {
    spec: {
      template: {
        metadata: { labels: object; annotations: Record<string, string> };
        spec: Record<string, unknown>;
      };
    };
  }
).spec.template;
type Container = Readonly<Record<string, unknown>> & {
  env: { name: string }[];
  ports: { name: string; containerPort: number }[];
};
const [container] = pod['containers'] as [Container];
const dockerfile = read('Dockerfile');

test('the deployment files set only variables that the server reads', () => {
  const image = [...dockerfile.matchAll(/\b([A-Z_]+)=\S/g)].map(([, name]) => name);
  const named = [
    ...image.filter((name) => name !== 'API_TOKENS'),
    ...Object.keys(compose.services.server.environment),
    ...container.env.map(({ name }) => name),
  ];
  expect(named.length).toBeGreaterThan(7);
  expect(named.filter((name) => !documented.has(name))).toEqual([]);
});

test('the image copies files that exist and are not in .dockerignore', () => {
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, files = '']) =>
    files.split(' '),
  );
  expect(copied).toContain('src');
  for (const file of copied) {
    expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
    expect(read('.dockerignore')).toContain(`!${file}\n`);
  }
  expect(existsSync(join(ROOT, 'scripts/deploy', compose.services.server.build.context, 'Dockerfile'))).toBe(
    true,
  );
});

test('the service uses the port of the image, and the probes use paths of the server', () => {
  const [http, ops] = container.ports;
  expect(dockerfile).toContain(` PORT=${http?.containerPort} OPS_PORT=${ops?.containerPort} `);
  expect(service).toMatchObject({
    spec: { selector: metadata.labels, ports: [{ targetPort: http?.name }] },
  });
  expect(metadata.annotations['prometheus.io/port']).toBe(String(ops?.containerPort));
  const asked = [...read('scripts/deploy/kubernetes.yaml').matchAll(/httpGet: .* port: (\w+)/g)];
  expect(asked.map(([, port]) => port)).toEqual(Array(3).fill(ops?.name));
  expect(dockerfile).toMatch(/HEALTHCHECK [^]*process\.env\.OPS_PORT\}\/-\/ready/);
  const probed = [...read('scripts/deploy/kubernetes.yaml').matchAll(/path: (\/-\/\w+)/g)].map(
    ([, path]) => path,
  );
  expect(new Set(probed)).toEqual(new Set(['/-/metrics', '/-/live', '/-/ready']));
});

test('the grace period covers the shutdown of the server', () => {
  const [drain = '', flush = ''] = [
    /^SHUTDOWN_TIMEOUT=(\d+)/m.exec(read('.env.example'))?.[1],
    /CLOSE_TIMEOUT = ([\d_]+)/.exec(read('src/runtime/shutdown.ts'))?.[1]?.replace('_', ''),
  ];
  const seconds = (Number(drain) + Number(flush)) / 1000;
  expect(parseInt(compose.services.server.stop_grace_period)).toBeGreaterThan(seconds);
  expect(pod['terminationGracePeriodSeconds']).toBeGreaterThan(seconds + 5); // the preStop delay
});

test('the migration has the image, the database, the limits and the rights of the server', () => {
  const [migration] = pod['initContainers'] as [Container];
  const { name, command, env, ...rest } = migration;
  expect(name).toBe('migrate');
  expect(dockerfile).toContain(JSON.stringify(command).replaceAll(',', ', ').replace(', "migrate"', ''));
  expect(env).toEqual(container.env.filter((variable) => variable.name === 'DATABASE_URL'));
  expect(container).toMatchObject(rest);
});
