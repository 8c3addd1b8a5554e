/** What a state looks like: six kinds, each with a sign, a colour and its word. */
export type StateKind = 'running' | 'waiting' | 'warning' | 'failed' | 'ended' | 'killed' | 'unknown';

export const signs: Readonly<Record<StateKind, string>> = {
  running: '●',
  waiting: '◐',
  warning: '▲',
  failed: '✖',
  ended: '■',
  killed: '◼',
  unknown: '?',
};

/** Of applications, containers and operators, as the API names them; and of checkpoints; other engines bring words of their own. */
const kinds: Readonly<Record<string, StateKind>> = {
  NEW: 'waiting',
  NEW_SAVING: 'waiting',
  SUBMITTED: 'waiting',
  ACCEPTED: 'waiting',
  ALLOCATED: 'waiting',
  PENDING_DEPLOY: 'waiting',
  PENDING_UNDEPLOY: 'waiting',
  IN_PROGRESS: 'waiting',
  STARTING: 'waiting',
  STOPPING: 'waiting',
  INSTALLING: 'waiting',
  RUNNING: 'running',
  ACTIVE: 'running',
  FINISHED: 'ended',
  SUCCEEDED: 'ended',
  COMPLETED: 'ended',
  INACTIVE: 'ended',
  STOPPED: 'ended',
  KILLED: 'killed',
  FAILED: 'failed',
};

export const kindOf = (state: string | undefined): StateKind => kinds[state ?? ''] ?? 'unknown';

const over: ReadonlySet<StateKind> = new Set(['failed', 'killed', 'ended']);

/** Whether what is in this state runs no more, and begins no more. */
export const isOverIn = (state: string | undefined): boolean => over.has(kindOf(state));
