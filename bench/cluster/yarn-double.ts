import { yarnDouble } from '../../test/doubles/yarn/index.js';
import { pipeline } from '../../test/helpers/yarn.js';

// The cluster of the benchmark, in a process of its own.

const count = Number(process.argv[2]);
const double = await yarnDouble();
const applications = Array.from({ length: count }, (_, i) =>
  double.launch(
    pipeline({
      name: `numbers-${i}`,
      user: `user${i % 50}`,
      starts: new Promise((resolve) => setTimeout(resolve, i)),
    }),
  ),
);
while (applications.some(({ state, operators }) => state !== 'RUNNING' || operators.length < 2))
  await new Promise((resolve) => setTimeout(resolve, 100));

process.on('message', () => {
  const asked = double.managers.flatMap((manager) => manager.asked.splice(0));
  const masters = [...double.masters.values()].flatMap(({ server }) => server.asked.splice(0));
  process.send?.({ manager: asked.length, masters: masters.length });
});
process.send?.({
  manager: double.managers[0]?.url,
  files: double.files.nameNode.url,
  ids: applications.map(({ id }) => id),
});
process.on('disconnect', () => process.exit(0));
