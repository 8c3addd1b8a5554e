import type { AppStats } from '../../lib/driver-kit.js';

/** Statistics of an application in which all is well, but for `more`. */
export const statsSample = (more: Partial<AppStats> = {}): AppStats => ({
  latency: 0,
  plannedContainers: 2,
  failedContainers: 0,
  allocatedContainers: 2,
  numOperators: 1,
  windowStartMillis: 0,
  criticalPath: [],
  currentWindowId: '1',
  recoveryWindowId: '1',
  tuplesProcessedPSMA: 0,
  totalTuplesProcessed: 0,
  tuplesEmittedPSMA: 0,
  totalTuplesEmitted: 0,
  totalMemoryAllocated: 256,
  memoryRequired: 512,
  totalVCoresAllocated: 1,
  vcoresRequired: 1,
  totalBufferServerReadBytesPSMA: 0,
  totalBufferServerWriteBytesPSMA: 0,
  ...more,
});
