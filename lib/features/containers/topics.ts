import { AppId } from '../../model/applications.js';
import { type Container, ContainerList } from '../../model/containers.js';
import { type EndedInput, listing, topicFor } from '../../pubsub/topic.js';
import { onceOf } from '../../runtime/once-of.js';
import type { ContainerService } from './service.js';

const topic = topicFor<ContainerService>();

const listOf = onceOf((containers: readonly Container[]): ContainerList => ({ containers: [...containers] }));

export const containerTopics = {
  containers: topic({
    name: 'applications.{appid}.containers',
    summary: 'Containers of one application; one that is gone is named once more, with its end state',
    access: 'user',
    resource: 'application topics',
    params: AppId,
    data: ContainerList,
    kind: 'snapshot',
    every: 1000,
    may: (containers, user, { appid }) => containers.mayWatch(user, appid),
    read: async (containers, { params, signal }) => {
      const found = await containers.observe(params.appid, signal);
      return found && listOf(found);
    },
    listing: listing({
      entries: ({ containers }: ContainerList) => containers,
      list: (containers) => ({ containers }),
      id: ({ id }) => id,
      async ended(
        service: ContainerService,
        container,
        { params, isListRead }: EndedInput<{ appid: string }>,
      ) {
        if (container.state === 'KILLED') return undefined;
        if (!isListRead) await service.requireEnded(params.appid);
        const { finishedTime } = container;
        return {
          ...container,
          state: 'KILLED' as const,
          finishedTime: finishedTime > 0 ? finishedTime : Date.now(),
        };
      },
    }),
  }),
};
