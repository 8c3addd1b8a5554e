import type { Life } from '../kinds/kind.js';
import type { StoredService } from '../stored.js';
import { createChangeSignal } from './change-signal.js';

/** What is known of one service at this moment. Whoever waits for something is woken by each change. */
export interface ServiceStatus {
  readonly stored: StoredService;
  /** This runs of it. */
  life: Life | undefined;
  /** One sentence: how far its work is, or when it is tried again. */
  progress: string | undefined;
  /** It was removed. */
  readonly isGone: boolean;
  /** The gateway closes. */
  readonly isClosed: boolean;
  /** Gone or closed: nothing is begun for it any more. */
  readonly isOver: boolean;
  /** Changes with each change of state, and with each piece of work. */
  readonly stamp: number;
  /** Its state has changed, or a piece of its work is over. */
  changed(): void;
  setGone(): void;
  setClosed(): void;
  /** Resolves at the next change, or when `signal` is aborted. */
  next(signal: AbortSignal): Promise<void>;
}

export function createServiceStatus(record: { readonly value: StoredService }): ServiceStatus {
  const changes = createChangeSignal();
  let progress: string | undefined;
  let isGone = false;
  let isClosed = false;
  let stamp = 0;

  return {
    life: undefined,
    get stored() {
      return record.value;
    },
    get progress() {
      return progress;
    },
    set progress(sentence) {
      progress = sentence;
      changes.tell();
    },
    get isGone() {
      return isGone;
    },
    get isClosed() {
      return isClosed;
    },
    get isOver() {
      return isGone || isClosed;
    },
    get stamp() {
      return stamp;
    },
    changed() {
      stamp++;
      changes.tell();
    },
    setGone() {
      isGone = true;
    },
    setClosed() {
      isClosed = true;
      changes.tell();
    },
    next: changes.next,
  };
}
