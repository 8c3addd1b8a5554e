/** Work on one service: one piece at a time, and the next one gives up what is under way. */
interface BackgroundWork {
  readonly isUnderWay: boolean;
  /** After what is under way has ended, unless that was too late for this piece as well. */
  begin(run: (signal: AbortSignal) => Promise<void>): void;
  /** Gives up what is under way; resolves when it has ended. */
  giveUp(): Promise<void>;
}

export function createBackgroundWork(hooks: {
  readonly failed: (error: unknown) => void;
  /** The last piece is over, or another one took its place. */
  readonly ended: () => void;
}): BackgroundWork {
  let work: { readonly abort: AbortController; readonly done: Promise<void> } | undefined;

  return {
    get isUnderWay() {
      return work !== undefined;
    },
    begin(run) {
      const last = work;
      last?.abort.abort();
      const abort = new AbortController();
      const done = (async () => {
        await last?.done;
        if (!abort.signal.aborted) await run(abort.signal);
      })();
      const mine = { abort, done: done.catch(hooks.failed) };
      work = mine;
      mine.done.then(() => {
        if (work === mine) work = undefined;
        hooks.ended();
      });
    },
    async giveUp() {
      work?.abort.abort();
      await work?.done;
    },
  };
}
