import { NotFound, type PhysOperator } from 'headgate/driver-kit';
import { type Answer, type Asked, json, quoted } from './answers.js';
import { done, type MasterFacts, need, only } from './master-facets.js';
import { Named, sent, Windows } from './master-inputs.js';
import { containerInfo, operatorInfo } from './master-shapes.js';
import type { WebRoute } from './routes.js';

/** What runs: operators with their ports and recordings, streams, containers. */
export const physicalRoutes: readonly WebRoute<MasterFacts>[] = [
  [
    'GET',
    'physicalPlan',
    async ({ master }) => {
      const { operators, streams } = await master.physicalPlan();
      return quoted({ operators: operators.map(operatorInfo), streams });
    },
  ],
  [
    'GET',
    'physicalPlan/operators',
    async ({ master }) => {
      const { operators } = await master.physicalPlan();
      return quoted({ operators: operators.map(operatorInfo) });
    },
  ],
  [
    'GET',
    'physicalPlan/operators/:id',
    async (facts, _, id) => quoted(operatorInfo(await operatorOf(facts, id))),
  ],
  [
    'GET',
    'physicalPlan/operators/:id/ports',
    async (facts, _, id) => quoted({ ports: (await operatorOf(facts, id)).ports }),
  ],
  [
    'GET',
    'physicalPlan/operators/:id/ports/:port',
    async (facts, _, id, port) => {
      const found = (await operatorOf(facts, id)).ports.find(({ name }) => name === port);
      if (!found) throw new NotFound('port', String(port));
      return quoted(found);
    },
  ],
  // Real numbers here, unlike anywhere else.
  [
    'GET',
    'physicalPlan/operators/:id/properties',
    async ({ master }, { query }, id) =>
      json(only(await need(master.properties).readOperator(id ?? ''), query.get('propertyName'))),
  ],
  [
    'POST',
    'physicalPlan/operators/:id/properties',
    ({ master }, { body }, id) => done(need(master.physicalProperties).write(id ?? '', sent(Named, body))),
  ],
  ['POST', 'physicalPlan/operators/:id/recordings/start', startRecording],
  [
    'POST',
    'physicalPlan/operators/:id/recordings/stop',
    ({ master }, _, id) => done(need(master.recorder).stop(id ?? '', {})),
  ],
  ['POST', 'physicalPlan/operators/:id/ports/:port/recordings/start', startRecording],
  [
    'POST',
    'physicalPlan/operators/:id/ports/:port/recordings/stop',
    ({ master }, _, id, portName = '') => done(need(master.recorder).stop(id ?? '', { portName })),
  ],
  [
    'GET',
    'physicalPlan/streams',
    async ({ master }) => quoted({ streams: (await master.physicalPlan()).streams }),
  ],
  [
    'GET',
    'physicalPlan/containers',
    async ({ master }, { query }) => {
      const states = query.get('states')?.split(',');
      const containers = await master.containers();
      return quoted({
        containers: containers.filter(({ state }) => !states || states.includes(state)).map(containerInfo),
      });
    },
  ],
  [
    'GET',
    'physicalPlan/containers/:id',
    async ({ master }, _, id) => {
      const found = (await master.containers()).find((container) => container.id === id);
      if (!found) throw new NotFound('container', String(id));
      return quoted(containerInfo(found));
    },
  ],
  [
    'GET',
    'physicalPlan/containers/:id/stackTrace',
    async ({ master }, _, id) => {
      const { threads } = await need(master.stackTraces).read(id ?? '');
      return json({ threads: threads.map((thread) => ({ ...thread, id: Number(thread.id) })) });
    },
  ],
  [
    'POST',
    'physicalPlan/containers/:id/kill',
    ({ master }, _, id) => done(need(master.containerControl).kill(id ?? '')),
  ],
];

async function operatorOf({ master }: MasterFacts, id: string | undefined): Promise<PhysOperator> {
  const found = (await master.physicalPlan()).operators.find((operator) => operator.id === id);
  if (!found) throw new NotFound('operator', String(id));
  return found;
}

async function startRecording(
  { master }: MasterFacts,
  { body }: Asked,
  id = '',
  portName?: string,
): Promise<Answer> {
  const { numWindows } = sent(Windows, body);
  const what = {
    ...(portName === undefined ? {} : { portName }),
    ...(numWindows === undefined ? {} : { numWindows }),
  };
  return json({ id: await need(master.recorder).start(id, what) });
}
