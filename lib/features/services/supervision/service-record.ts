import { StoredService } from '../stored.js';

/** What is kept of one service. */
interface ServiceRecord {
  readonly value: StoredService;
  /** Whether the storage may hold something else than `value`: a write that failed may have been made. */
  readonly isUnsure: boolean;
  keep(next: StoredService): Promise<void>;
  remove(): Promise<void>;
}

export function createServiceRecord(
  before: StoredService,
  deps: {
    readonly save: (stored: StoredService) => Promise<void>;
    readonly forget: () => Promise<void>;
  },
): ServiceRecord {
  let value = before;
  let isUnsure = false;

  async function written(write: () => Promise<void>) {
    isUnsure = true;
    await write();
    isUnsure = false;
  }

  return {
    get value() {
      return value;
    },
    get isUnsure() {
      return isUnsure;
    },
    async keep(next) {
      const [text, present] = [JSON.stringify(next), JSON.stringify(value)];
      if (text === present && !isUnsure) return;
      const plain = StoredService.parse(JSON.parse(text));
      await written(() => deps.save(plain));
      value = plain;
    },
    remove: () => written(deps.forget),
  };
}
