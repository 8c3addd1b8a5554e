/** What is known of a topic; a new object each time. */
export interface TopicValue {
  readonly data: unknown;
  /** As it came, with the integers that `data` has rounded. */
  readonly text: string;
  /** Epoch milliseconds of this machine. */
  readonly receivedAt: number;
}

export interface TopicRefusal {
  readonly code: string;
  readonly message: string;
}

interface Source {
  subscribe(
    topic: string,
    onData: (data: unknown, text: string) => void,
    onError: (refusal: TopicRefusal) => void,
  ): () => void;
  /** Calls `flush` once, before the next picture. */
  nextFrame(flush: () => void): void;
}

export interface Topics {
  /** Told once a frame that there is something new, and at once of the last value when there is one. */
  watch(topic: string, listener: () => void): () => void;
  /** Told of every message, in order: for topics where each one counts. */
  each(topic: string, listener: (value: TopicValue) => void): () => void;
  /** The last one, as long as somebody watches; the same object until a newer one comes. */
  latest(topic: string): TopicValue | undefined;
  refusal(topic: string): TopicRefusal | undefined;
  /** While a page is hidden nothing is subscribed but what `each` asks for; afterwards all of it is again. */
  rest(isHidden: boolean): void;
}

interface Watched {
  readonly listeners: Set<() => void>;
  readonly each: Set<(value: TopicValue) => void>;
  unsubscribe: (() => void) | undefined;
  latest: TopicValue | undefined;
  refusal: TopicRefusal | undefined;
  leaving: ReturnType<typeof setTimeout> | undefined;
}

/** A tab that is left and entered again within this keeps its subscription. */
const leaveMillis = 2000;

export function createTopics({ subscribe, nextFrame }: Source): Topics {
  const watched = new Map<string, Watched>();
  const changed = new Set<Watched>();
  let isResting = false;

  function flush(): void {
    const told = [...changed];
    changed.clear();
    for (const topic of told) for (const listener of [...topic.listeners]) listener();
  }

  function tell(topic: Watched): void {
    if (changed.size === 0) nextFrame(flush);
    changed.add(topic);
  }

  function open(name: string, topic: Watched): void {
    if (topic.unsubscribe || (isResting && topic.each.size === 0)) return;
    topic.unsubscribe = subscribe(
      name,
      (data, text) => {
        topic.latest = { data, text, receivedAt: Date.now() };
        topic.refusal = undefined;
        for (const listener of [...topic.each]) listener(topic.latest);
        tell(topic);
      },
      (refusal) => {
        topic.refusal = refusal;
        topic.latest = undefined;
        tell(topic);
      },
    );
  }

  function close(topic: Watched): void {
    topic.unsubscribe?.();
    topic.unsubscribe = undefined;
  }

  function entered(name: string): Watched {
    const topic = watched.get(name) ?? {
      listeners: new Set(),
      each: new Set(),
      unsubscribe: undefined,
      latest: undefined,
      refusal: undefined,
      leaving: undefined,
    };
    watched.set(name, topic);
    clearTimeout(topic.leaving);
    topic.leaving = undefined;
    return topic;
  }

  function left(name: string, topic: Watched): void {
    if (topic.listeners.size + topic.each.size > 0) return;
    topic.leaving = setTimeout(() => {
      close(topic);
      watched.delete(name);
    }, leaveMillis);
  }

  return {
    watch(name, listener) {
      const topic = entered(name);
      topic.listeners.add(listener);
      open(name, topic);
      return () => {
        topic.listeners.delete(listener);
        left(name, topic);
      };
    },
    each(name, listener) {
      const topic = entered(name);
      topic.each.add(listener);
      open(name, topic);
      return () => {
        topic.each.delete(listener);
        left(name, topic);
      };
    },
    latest: (name) => watched.get(name)?.latest,
    refusal: (name) => watched.get(name)?.refusal,
    rest(isHidden) {
      isResting = isHidden;
      for (const [name, topic] of watched) {
        if (!isHidden) open(name, topic);
        else if (topic.each.size === 0) close(topic);
      }
    },
  };
}
