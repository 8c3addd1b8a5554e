import { loadPattern } from '../../formats/load-pattern.js';
import { facetOf } from '../../http/capabilities.js';
import type { Call } from '../../http/route.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type {
  Event,
  EventQuery,
  LoggerMatch,
  LoggerSetting,
  OperatorClassFilter,
} from '../../model/applications.js';
import type { OperatorClassDesc } from '../../model/logical-plan.js';
import type { Applications } from './directory.js';

/** What is asked of an application's master, and not every master can tell: rejects with `NotSupported` then. */
export interface MasterFacets {
  events(call: Call, appId: string, query: EventQuery): Promise<readonly Event[]>;
  loggers(call: Call, appId: string): Promise<readonly LoggerSetting[]>;
  setLoggers(call: Call, appId: string, settings: readonly LoggerSetting[]): Promise<void>;
  searchLoggers(call: Call, appId: string, pattern: string): Promise<LoggerMatch[]>;
  operatorClasses(call: Call, appId: string, filter: OperatorClassFilter): Promise<string[]>;
  operatorClass(call: Call, appId: string, className: string): Promise<OperatorClassDesc>;
}

export function createMasterFacets(deps: {
  cluster: ClusterDriver;
  directory: Pick<Applications, 'reading' | 'changing'>;
}): MasterFacets {
  const { cluster } = deps;
  const { reading, changing } = deps.directory;

  return {
    events: (call, appId, query) =>
      reading(call, appId, (master, options) => facetOf(cluster, master, 'events').read(query, options)),

    loggers: (call, appId) =>
      reading(call, appId, (master, options) => facetOf(cluster, master, 'loggers').list(options)),

    setLoggers: (call, appId, settings) =>
      changing(call, appId, (master) => facetOf(cluster, master, 'loggers').set(settings)),

    async searchLoggers(call, appId, text) {
      const levels = await reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'loggers').levels(options),
      );
      const pattern = await loadPattern(text, 'query.pattern');
      return pattern.whole(levels, ({ name }) => name);
    },

    async operatorClasses(call, appId, { packagePrefixes = '', ...query }) {
      const names = await reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'operatorClasses').list(query, options),
      );
      const prefixes = packagePrefixes.split(',').filter((prefix) => prefix !== '');
      if (prefixes.length === 0) return [...names];
      return names.filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
    },

    operatorClass: (call, appId, className) =>
      reading(call, appId, (master, options) =>
        facetOf(cluster, master, 'operatorClasses').describe(className, options),
      ),
  };
}
