/** Whether there is a process of this number; it may be another one than the one that once had it. */
export function isProcessAlive(pid: number): boolean {
  // 0 and what is below would mean whole groups of processes.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    // Signal 0 is not sent; it only asks whether it could be.
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
