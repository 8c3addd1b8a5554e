import { parseArgs } from 'node:util';

export const usage = `Usage: npm start -- [options]

  --port N      port to listen on (default 9090; 0 takes a free one)
  --host H      address to listen on (default 127.0.0.1); without both, platform.gateway.listenAddress of the site files
  --data DIR    where everything is kept (default ./data)
  --cluster C   local: the embedded engine (default); yarn: Apache Apex on a Hadoop YARN cluster
  --no-demo     do not launch the demo application
  --rescue      local accounts only, whatever PUT /ws/v2/config/auth has said
  --help        this text

With --cluster yarn:
  --resource-manager URL   http://rm.example.org:8088; several times where there are several
  --files URL              http://namenode:50070, or file:/// (default: what the resource manager says)
  --user NAME              who the gateway is to the cluster (default hadoop)
  --apex FILE              the engine's command line, which launches (default: nothing can be launched)
  --gateway-address H:P    where the nodes find this server (default: applications are not told)

Environment:
  HEADGATE_ADMIN_PASSWORD   password of the user admin at the first start (default: a generated one, printed once)
`;

/** What the command line says, or a sentence about what is wrong with it. */
export function readArguments(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        data: { type: 'string', default: './data' },
        cluster: { type: 'string', default: 'local' },
        'resource-manager': { type: 'string', multiple: true, default: [] },
        files: { type: 'string' },
        user: { type: 'string' },
        apex: { type: 'string' },
        'gateway-address': { type: 'string' },
        'no-demo': { type: 'boolean', default: false },
        rescue: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const { port = '9090', host = '127.0.0.1' } = values;
    if (!/^\d+$/.test(port) || Number(port) > 65535)
      return { problem: `--port ${port} is no port (0 to 65535)` };
    if (!['local', 'yarn'].includes(values.cluster))
      return { problem: `--cluster ${values.cluster} is unknown; there are local and yarn` };
    const managers = values['resource-manager'];
    if ((values.cluster === 'yarn') !== managers.length > 0)
      return { problem: '--cluster yarn and --resource-manager URL go together' };
    return {
      place: { port: Number(port), host },
      isPlaced: values.port !== undefined || values.host !== undefined,
      data: values.data,
      demo: values.cluster === 'local' && !values['no-demo'],
      rescue: values.rescue,
      help: values.help,
      yarn: managers.length > 0 && {
        resourceManager: managers,
        ...(values.files && { files: values.files }),
        ...(values.user && { user: values.user }),
        ...(values.apex && { cli: { command: values.apex, environment: engineEnvironment() } }),
        ...(values['gateway-address'] && { gatewayAddress: values['gateway-address'] }),
      },
    };
  } catch (error) {
    return { problem: error.message };
  }
}

/** What the command line of the engine needs to find Java and Hadoop; it gets nothing else of this process. */
function engineEnvironment() {
  const names = ['PATH', 'JAVA_HOME', 'HADOOP_HOME', 'HADOOP_PREFIX', 'HADOOP_CONF_DIR', 'DT_HADOOP'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** Of `host:port`, as the property `platform.gateway.listenAddress` has it. */
export function placeIn(address) {
  const { host = '', port = '' } = /^\[?(?<host>.*?)\]?:(?<port>\d+)$/.exec(address)?.groups ?? {};
  return { host, port: Number(port) };
}
