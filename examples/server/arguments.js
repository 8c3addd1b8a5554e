import { parseArgs } from 'node:util';

export const usage = `Usage: npm start -- [options]

  --port N      port to listen on (default 9090; 0 takes a free one)
  --host H      address to listen on (default 127.0.0.1)
  --data DIR    where everything is kept (default ./data)
  --no-demo     do not launch the demo application
  --help        this text

Environment:
  HEADGATE_ADMIN_PASSWORD   password of the user admin at the first start (default: a generated one, printed once)
`;

/** What the command line says, or a sentence about what is wrong with it. */
export function readArguments(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        port: { type: 'string', default: '9090' },
        host: { type: 'string', default: '127.0.0.1' },
        data: { type: 'string', default: './data' },
        'no-demo': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const port = Number(values.port);
    if (!/^\d+$/.test(values.port) || port > 65535)
      return { problem: `--port ${values.port} is no port (0 to 65535)` };
    return { port, host: values.host, data: values.data, demo: !values['no-demo'], help: values.help };
  } catch (error) {
    return { problem: error.message };
  }
}
