import { topicFor } from '../../pubsub/topic.js';
import { AppId } from '../applications/schema.js';
import { ContainerList } from './schema.js';
import type { ContainerService } from './service.js';

const topic = topicFor<ContainerService>();

export const containerTopics = {
  containers: topic({
    name: 'applications.{appid}.containers',
    summary: 'Containers of one application',
    access: 'user',
    params: AppId,
    data: ContainerList,
    kind: 'snapshot',
    every: 1000,
    may: (containers, user, { appid }) => containers.mayWatch(user, appid),
    read: async (containers, { params, signal }) => {
      const found = await containers.observe(params.appid, signal);
      return found && { containers: [...found] };
    },
  }),
};
