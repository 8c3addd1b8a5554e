import { resourceManagerFacetOf } from '../../http/capabilities.js';
import type { Call } from '../../http/route.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import { BadRequest } from '../../model/errors.js';
import type { Sample } from '../../model/samples.js';
import type { Timeouts } from '../../model/timeouts.js';
import { withTimeout } from '../../runtime/with-timeout.js';
import type { AppRef } from '../app-packages/schema.js';
import type { PackageService } from '../app-packages/service.js';
import type { PropertyService } from '../properties/service.js';
import { requestOf } from './request.js';
import type { SampleBody } from './schema.js';

/**
 * Rows of a query over the tables that an application in SQL defines. Rejects with what `Sampler.sample` rejects with, and with
 * `BadRequest` for other applications.
 */
export type Sampling = (call: Call, ref: AppRef, wanted: SampleBody) => Promise<Sample>;

export const createSampling =
  (deps: {
    readonly packages: Pick<PackageService, 'lending'>;
    readonly properties: Pick<PropertyService, 'forLaunch'>;
    readonly cluster: ClusterDriver;
    readonly timeouts: Pick<Timeouts, 'launchMillis'>;
  }): Sampling =>
  (call, ref, { query, rows, properties }) =>
    deps.packages.lending(call, ref, undefined, async (app) => {
      const from = { ref, query: {}, properties, as: { user: call.user.userName }, site: deps.properties };
      const { sql, properties: given = {}, defaults = {} } = await requestOf(app, from);
      if (!sql)
        throw new BadRequest(
          'APPLICATION_TYPE_NOT_SUPPORTED',
          `${ref.appName} is not in SQL: only tables that statements define can be queried`,
        );
      const sampler = resourceManagerFacetOf(deps.cluster, 'sampler');
      return withTimeout(deps.timeouts.launchMillis, 'The sample', call.signal, (signal) =>
        sampler.sample({ sql, properties: given, defaults, query, rows }, { signal }),
      );
    });
