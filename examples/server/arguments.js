import { parseArgs } from 'node:util';

export const usage = `Usage: npm start -- [options]

  --port N      port to listen on (default 9090; 0 takes a free one)
  --host H      address to listen on (default 127.0.0.1); without both, platform.gateway.listenAddress of the site files
  --data DIR    where everything is kept (default ./data)
  --cluster C   local: the embedded engine (default); yarn: Apache Apex on a Hadoop YARN cluster
  --no-demo     do not launch the demo application
  --rescue      local accounts only, whatever PUT /ws/v2/config/auth has said
  --log-level L debug, info (default), warn or error; into headgate.log of the data directory
  --help        this text

Behind a reverse proxy (docs/tour.md):
  --trust-proxy P    proxies that are believed about their clients: how many there are (1), or their addresses
                     (loopback, 10.0.0.0/8; several with commas between; default: none)
  --secure-cookies   cookies for TLS only, whatever the proxy says
  --origin URL       https://console.example.org, whose pages may change things too; several times where there are several

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
        'log-level': { type: 'string', default: 'info' },
        'trust-proxy': { type: 'string' },
        'secure-cookies': { type: 'boolean', default: false },
        origin: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', default: false },
      },
    });
    const { port = '9090', host = '127.0.0.1' } = values;
    if (!/^\d+$/.test(port) || Number(port) > 65535)
      return { problem: `--port ${port} is no port (0 to 65535)` };
    if (!['local', 'yarn'].includes(values.cluster))
      return { problem: `--cluster ${values.cluster} is unknown; there are local and yarn` };
    if (!['debug', 'info', 'warn', 'error'].includes(values['log-level']))
      return {
        problem: `--log-level ${values['log-level']} is unknown; there are debug, info, warn and error`,
      };
    const noOrigin = values.origin.find((origin) => !isOrigin(origin));
    if (noOrigin !== undefined)
      return { problem: `--origin ${noOrigin} is no origin; write https://console.example.org` };
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
      logLevel: values['log-level'],
      trustProxy: trustedIn(values['trust-proxy']),
      secureCookies: values['secure-cookies'],
      origins: values.origin,
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

const isOrigin = (text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** A number of proxies, or where they are. */
const trustedIn = (text = '') => (text === '' ? false : /^\d+$/.test(text) ? Number(text) : text);

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
