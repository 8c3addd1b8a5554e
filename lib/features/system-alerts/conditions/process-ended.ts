/** Why the process is gone. */
export class ProcessEnded extends Error {
  readonly why: 'silent' | 'out of memory' | 'outside' | 'other';

  constructor(why: ProcessEnded['why'], message: string) {
    super(message);
    this.name = 'ProcessEnded';
    this.why = why;
  }
}

/** The runtime's own end at its heap limit; it says so on its standard error. */
const outOfMemory = ['SIGABRT', 'SIGTRAP', 'SIGILL'];

/** What a script can bring the runtime to by a fault of the runtime's own. */
const crashes = ['SIGSEGV', 'SIGBUS', 'SIGFPE'];

/**
 * A runtime that ends itself at its heap limit says so, where scripts can say nothing; one that somebody ended, the system
 * for want of memory or a person, says nothing.
 */
export function endedWith(code: number | null, signal: string | null, hasComplained: boolean): ProcessEnded {
  if (signal === null) return new ProcessEnded('other', `It ended with code ${code}`);
  const how = `It ended by ${signal}`;
  if (crashes.includes(signal)) return new ProcessEnded('other', how);
  const isMemory = hasComplained && outOfMemory.includes(signal);
  return new ProcessEnded(isMemory ? 'out of memory' : 'outside', how);
}
