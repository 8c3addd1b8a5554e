import type { routes } from '../routes.js';

/** Computed from the routes: a missing or wrong service does not compile. */
export type Services = {
  readonly [Room in keyof typeof routes]: ServiceOf<(typeof routes)[Room]>;
};
type ServiceOf<Room> = Room[keyof Room] extends { handle(service: infer S, input: never): unknown }
  ? S
  : never;

/** Rooms that hold what a restart replaces; `restartable-services.ts` makes them. */
export type RestartableService =
  | 'session'
  | 'discovery'
  | 'cluster'
  | 'configuration'
  | 'systemAlerts'
  | 'topicStreams';
