import { ActiveApplications, AppId, ApplicationSnapshot, Event } from '../../model/applications.js';
import { listing, topicFor } from '../../pubsub/topic.js';
import type { ApplicationService } from './service.js';

const topic = topicFor<ApplicationService>();

/** Who may listen: `docs/decisions.md`, Topics of an application are for who started it. */
export const applicationTopics = {
  applications: topic({
    name: 'applications',
    summary:
      'Applications that have not ended and that the receiver may see; one that has ended is named once more, with its end state',
    access: 'VIEW_GLOBAL_CONFIG',
    data: ActiveApplications,
    kind: 'snapshot',
    every: 1000,
    may: (applications, user) => applications.mayWatchList(user),
    read: (applications) => applications.active(),
    listing: listing({
      entries: ({ apps }: ActiveApplications) => apps,
      list: (apps) => ({ apps }),
      id: ({ id }) => id,
      ended: (applications: ApplicationService, { id }) => applications.ended(id),
    }),
    view: (applications, user, all) => applications.activeFor(user, all),
  }),
  application: topic({
    name: 'applications.{appid}',
    summary: 'State and statistics of one application',
    access: 'user',
    resource: 'application topics',
    params: AppId,
    data: ApplicationSnapshot,
    kind: 'snapshot',
    every: 1000,
    may: (applications, user, { appid }) => applications.mayWatch(user, appid),
    read: (applications, { params, signal }) => applications.snapshot(params.appid, signal),
  }),
  events: topic({
    name: 'applications.{appid}.events',
    summary: 'Events of one application, one a message, as they happen',
    access: 'user',
    resource: 'application topics',
    params: AppId,
    data: Event,
    kind: 'events',
    may: (applications, user, { appid }) => applications.mayWatch(user, appid),
  }),
};
