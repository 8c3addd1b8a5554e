import type { client } from '../../gateway/client.js';

export type PackageMeta = Awaited<ReturnType<typeof client.getPackage>>;
export type PackageApp = PackageMeta['applications'][number];
export type OperatorClass = Awaited<ReturnType<typeof client.getPackageOperator>>;
