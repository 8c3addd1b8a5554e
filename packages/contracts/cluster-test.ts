import type { ClusterDriver, DefinedLaunch, LaunchRequest, Master, SampleRequest } from 'headgate/driver-kit';

export interface PropertyUnderTest {
  readonly operatorName: string;
  readonly name: string;
  /** Another value than the one in `request`, as it is read back. */
  readonly value: unknown;
  /** A value that does not fit. */
  readonly refused: unknown;
}

/**
 * What a test of the contract works with: a driver that is open, and an application to launch on it. To ask for what the driver
 * does not have skips the test.
 */
export interface RunningCluster {
  readonly driver: ClusterDriver;
  readonly launcher: NonNullable<ClusterDriver['resourceManager']['launcher']>;
  readonly request: DefinedLaunch;
  readonly property: PropertyUnderTest | undefined;
  readonly sample: SampleRequest | undefined;
  readonly timeoutMillis: number;
  readonly values: 'exact' | 'text';
  readonly afterTheEnd: 'kept' | 'lost';
  readonly windows: 'counted' | 'none';
  /** Launches the application; resolves when it runs. */
  launch(change?: Partial<LaunchRequest>): Promise<{ readonly id: string; readonly master: Master }>;
}

export type ClusterTest = (name: string, run: (cluster: RunningCluster) => Promise<void>) => void;
