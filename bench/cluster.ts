import { onFlink } from './cluster/flink.js';
import { endAll } from './cluster/processes.js';
import { onYarn } from './cluster/yarn.js';

// What a cluster of 1,000 running applications costs the host, as a part of one core: on YARN, and as jobs of a Flink, whose
// beat is three seconds. Cluster, gateway and clients are processes of their own. Beside it what the list alone would cost anybody: a
// fetch and JSON.parse of it in each beat.
//   node build/bench/cluster.js

const isYarnGood = await onYarn();
endAll();
const isFlinkGood = await onFlink();
endAll();
process.exitCode = isYarnGood && isFlinkGood ? 0 : 1;
