import { withoutSecrets } from '../../formats/secret-names.js';
import { facetOf } from '../../http/capabilities.js';
import type { Call } from '../../http/route.js';
import type { CallOptions } from '../../interfaces/call-options.js';
import type { ClusterDriver } from '../../interfaces/cluster.js';
import type { AttributeReader } from '../../interfaces/master.js';
import type { AttributeValues } from '../../model/logical-plan.js';
import type { PropertyValues } from '../../model/physical-plan.js';
import { onlyNamed } from '../../runtime/named.js';
import type { Applications } from '../applications/service.js';

interface Operator {
  readonly appid: string;
  readonly opName: string;
}

/** Properties and attributes of what an application is made of. A `name` that there is not is `NotFound`. */
export interface PlanValues {
  properties(call: Call, of: Operator, name?: string): Promise<PropertyValues>;
  /** All or none. */
  setProperties(call: Call, of: Operator, values: PropertyValues): Promise<void>;
  /** Of the application, of one operator or of one port. */
  attributes(
    call: Call,
    of: { readonly appid: string; readonly opName?: string; readonly portName?: string },
    name?: string,
  ): Promise<AttributeValues>;
}

export function createPlanValues(deps: { applications: Applications; cluster: ClusterDriver }): PlanValues {
  const { applications, cluster } = deps;
  return {
    async properties(call, { appid, opName }, name) {
      const values = await applications.reading(call, appid, (master, options) =>
        facetOf(cluster, master, 'properties').readLogical(opName, options),
      );
      return onlyNamed(values, 'property', name);
    },

    setProperties: (call, { appid, opName }, values) =>
      applications.changing(call, appid, (master, options) =>
        facetOf(cluster, master, 'properties').writeLogical(opName, values, options),
      ),

    async attributes(call, of, name) {
      const values = await applications.reading(call, of.appid, (master, options) =>
        attributesOf(facetOf(cluster, master, 'attributes'), of, options),
      );
      return onlyNamed(withoutSecrets(values), 'attribute', name);
    },
  };
}

function attributesOf(
  reader: AttributeReader,
  { opName, portName }: { readonly opName?: string; readonly portName?: string },
  options: CallOptions,
): Promise<Readonly<Record<string, unknown>>> {
  if (opName === undefined) return reader.application(options);
  return portName === undefined ? reader.operator(opName, options) : reader.port(opName, portName, options);
}
