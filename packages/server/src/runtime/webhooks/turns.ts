/**
 * Runs tasks, some at the same time, in the turn of their hosts: one that is slow does not hold the others up.
 *
 * @param most the tasks at the same time
 * @param each those of one host
 */
export function takeTurns(most: number, each: number): (host: string, task: () => Promise<void>) => void {
  const hosts = new Map<string, { readonly tasks: (() => Promise<void>)[]; active: number }>();
  let active = 0;
  const next = () => {
    // A host that has had its turn becomes the last one.
    for (const [name, host] of hosts) {
      if (active >= most) return;
      const task = host.active < each ? host.tasks.shift() : undefined;
      if (!task) continue;
      active++;
      host.active++;
      hosts.delete(name);
      hosts.set(name, host);
      void task().finally(() => {
        active--;
        if (--host.active === 0 && host.tasks.length === 0) hosts.delete(name);
        next();
      });
    }
  };
  return (name, task) => {
    const host = hosts.get(name) ?? { tasks: [], active: 0 };
    host.tasks.push(task);
    hosts.set(name, host);
    next();
  };
}
