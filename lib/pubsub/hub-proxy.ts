import type { Hub } from './hub.js';

type Receive = (data: string) => void;

/** The hub for those who outlive one: what they listen to is listened to at the next hub too. */
interface HubProxy extends Pick<Hub, 'watch' | 'watchFrom' | 'publishFrom' | 'rightsChanged'> {
  /** From now on this is the hub. */
  use(hub: Hub): void;
}

interface Watch {
  readonly start: (hub: Hub) => (() => void) | undefined;
  end: () => void;
}

export function createHubProxy(first: Hub): HubProxy {
  let present = first;
  const watches = new Set<Watch>();

  function begin(start: Watch['start']): (() => void) | undefined {
    const end = start(present);
    if (!end) return undefined;
    const watch: Watch = { start, end };
    watches.add(watch);
    return () => {
      watches.delete(watch);
      watch.end();
    };
  }

  return {
    use(hub) {
      present = hub;
      for (const watch of watches) {
        watch.end();
        watch.end = watch.start(hub) ?? (() => {});
      }
    },
    watch: (topic, receive?: Receive) => begin((hub) => hub.watch(topic, receive)) ?? (() => {}),
    watchFrom: (application, topic, receive) => begin((hub) => hub.watchFrom(application, topic, receive)),
    publishFrom: (application, topic, data) => present.publishFrom(application, topic, data),
    rightsChanged: (userName) => present.rightsChanged(userName),
  };
}
