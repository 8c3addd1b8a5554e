import { workerData } from 'node:worker_threads';

// A thread of its own beside the operators: when the host dies while an operator does not return, nobody else is left
// to end this process.

const checkMillis = 1000;

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, checkMillis);
