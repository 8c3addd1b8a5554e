import { freePorts } from '../../helpers/ports.js';
import { eventually } from '../../helpers/waiting.js';
import { startDaemon } from '../yarn/daemon.js';
import type { FlinkParts } from './artifacts.js';
import type { FlinkCluster } from './cluster.js';
import { accessOptions, shortLived } from './java-options.js';

export interface SqlGatewayProcess {
  /** `http://127.0.0.1:<port>`. */
  readonly rest: string;
  close(): Promise<void>;
}

/** Starts a SQL gateway of a cluster that has `sqlJars` among its libraries, as `bin/sql-gateway.sh` does. */
export async function startSqlGateway(
  parts: FlinkParts,
  sqlJars: string,
  { directory }: Pick<FlinkCluster, 'directory'>,
): Promise<SqlGatewayProcess> {
  const { sql: port } = await freePorts(['sql']);
  const daemon = await startDaemon({
    name: 'sql-gateway',
    command: `${parts.java}java`,
    args: [
      ...['-Xmx384m', ...shortLived, ...accessOptions],
      `-Dlog.file=${directory}/logs/sql-gateway.log`,
      `-Dlog4j.configurationFile=file:${directory}/conf/log4j.properties`,
      ...['-cp', `${parts.jars}/*:${sqlJars}/*`, 'org.apache.flink.table.gateway.SqlGateway'],
      '-Dsql-gateway.endpoint.rest.address=127.0.0.1',
      '-Dsql-gateway.endpoint.rest.bind-address=127.0.0.1',
      `-Dsql-gateway.endpoint.rest.port=${port}`,
    ],
    cwd: directory,
    env: { FLINK_CONF_DIR: `${directory}/conf` },
    log: `${directory}/logs/sql-gateway.out`,
  });
  const rest = `http://127.0.0.1:${port}`;
  await eventually(async () => {
    await daemon.check();
    return (await fetch(`${rest}/v2/info`).catch(() => undefined))?.ok || undefined;
  }, 100);
  return { rest, close: () => daemon.stop('SIGKILL') };
}
