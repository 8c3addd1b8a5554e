import { flinkParts } from './artifacts.js';
import { startFlink } from './cluster.js';

// A cluster to play with: `npx tsc -p . && node build/test/stages/flink/start.js [1.20.5]`, until Ctrl-C.
const started = performance.now();
const version = process.argv[2] === '1.20.5' ? '1.20.5' : '2.3.0';
const cluster = await startFlink(await flinkParts(version));
console.log(`Flink ${version} started in ${Math.round((performance.now() - started) / 1000)} s:`);
console.log(`  REST API  ${cluster.rest}`);
console.log(`  files     ${cluster.directory}`);
console.log('Ctrl-C ends it.');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void cluster.close());
