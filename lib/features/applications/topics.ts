import { topicFor } from '../../pubsub/topic.js';
import { ActiveApplications, AppId, ApplicationSnapshot, Event } from './schema.js';
import type { ApplicationService } from './service.js';

const topic = topicFor<ApplicationService>();

/** Spec 6.2; who may listen: spec 4.9 rule 5. */
export const applicationTopics = {
  applications: topic({
    name: 'applications',
    summary: 'Applications that have not ended and that the receiver may see',
    access: 'VIEW_GLOBAL_CONFIG',
    data: ActiveApplications,
    kind: 'snapshot',
    every: 1000,
    read: (applications) => applications.active(),
    view: (applications, user, all) => applications.activeFor(user, all),
  }),
  application: topic({
    name: 'applications.{appid}',
    summary: 'State and statistics of one application',
    access: 'user',
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
    params: AppId,
    data: Event,
    kind: 'events',
    may: (applications, user, { appid }) => applications.mayWatch(user, appid),
  }),
};
