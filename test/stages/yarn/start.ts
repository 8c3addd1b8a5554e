import { artifacts } from './artifacts.js';
import { startYarn } from './cluster.js';

// A cluster to play with: `npx tsc -p . && node build/test/stages/yarn/start.js`, until Ctrl-C.
const started = performance.now();
const cluster = await startYarn(await artifacts());
console.log(`Started in ${Math.round((performance.now() - started) / 1000)} s:`);
console.log(`  resource manager  ${cluster.resourceManager}`);
console.log(`  node manager      ${cluster.nodeManager}`);
console.log(`  WebHDFS           ${cluster.nameNode}/webhdfs/v1`);
console.log(`  engine's CLI      ${cluster.apex}`);
console.log(`  files             ${cluster.directory}`);
console.log('Ctrl-C ends it.');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void cluster.close());
