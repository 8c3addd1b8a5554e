import { serverNow } from '../gateway/server-clock.js';
import { createStore, useStore } from '../gateway/store.js';

/** One clock for all ages on the page: it goes once a second, while somebody sees it. */
const second = createStore(serverNow());

setInterval(() => {
  if (!document.hidden) second.set(serverNow());
}, 1000);

/** Epoch milliseconds by the gateway's clock, anew each second. */
export const useNow = (): number => useStore(second);
