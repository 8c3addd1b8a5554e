/** What one gateway at a time has open. */
interface OpenedByOne<Context, Opened> {
  /** Throws while another gateway has it, or is about to. One that fails to open is free again. */
  open(context: Context): Promise<void>;
  /** Throws while it is not open. */
  now(): Opened;
  ifOpen(): Opened | undefined;
  /** From now on it is free again. Returns what was open, for the caller to close. */
  release(): Opened | undefined;
}

/** `name` is what the host calls it. */
export function openedByOne<Context, Opened>(
  name: string,
  make: (context: Context) => Promise<Opened>,
): OpenedByOne<Context, Opened> {
  let isTaken = false;
  let opened: Opened | undefined;

  return {
    open(context) {
      if (isTaken) throw new Error(`${name}: in use by another gateway; make one for each`);
      isTaken = true;
      return make(context).then(
        (made) => {
          opened = made;
        },
        (error: unknown) => {
          isTaken = false;
          throw error;
        },
      );
    },
    now() {
      if (opened === undefined) throw new Error(`${name}: the gateway has not opened it, or has closed it`);
      return opened;
    },
    ifOpen: () => opened,
    release() {
      const released = opened;
      opened = undefined;
      isTaken = false;
      return released;
    },
  };
}
