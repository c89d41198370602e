// Loaded into each server before its own code (`node --require`), so that all are measured in one way: sends the parent
// the port on which the server listens and, when asked, what the server has used.
const { Server } = process.getBuiltinModule('node:net');

const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  this.once('listening', () => process.send({ port: this.address().port }));
  return listen.apply(this, args);
};
process.on('message', () => {
  process.getBuiltinModule('node:v8').takeCoverage(); // for path.ts; nothing without NODE_V8_COVERAGE
  const { user, system } = process.cpuUsage();
  process.send({ cpu: user + system, memory: process.memoryUsage.rss() });
});
process.on('disconnect', () => process.exit());
process.channel.unref(); // a server that has nothing left to do must be able to end
