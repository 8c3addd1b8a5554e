import type { RunOptions } from './run-options.js';

/** The body of `POST /containers/create`. Members that nobody asked for are left to the runtime. */
export function createBody(
  run: RunOptions,
  marks: Readonly<Record<string, string>>,
  publishAddress: string,
): object {
  const { command, entrypoint, env, hostname, image, init, labels, ports, readOnly, user, workdir } = run;
  return {
    Image: image,
    ...(command.length === 0 ? {} : { Cmd: command }),
    ...(entrypoint === undefined ? {} : { Entrypoint: [entrypoint] }),
    ...(workdir === undefined ? {} : { WorkingDir: workdir }),
    ...(user === undefined ? {} : { User: user }),
    ...(hostname === undefined ? {} : { Hostname: hostname }),
    Env: env,
    Labels: { ...labels, ...marks },
    ExposedPorts: Object.fromEntries(ports.map(({ inside }) => [inside, {}])),
    HostConfig: {
      PortBindings: portBindings(ports, publishAddress),
      Binds: run.volumes.map(({ source, target, readOnly }) => `${source}:${target}${readOnly ? ':ro' : ''}`),
      ...(run.memoryBytes === undefined ? {} : { Memory: run.memoryBytes }),
      ...(run.nanoCpus === undefined ? {} : { NanoCpus: run.nanoCpus }),
      ...(run.network === undefined ? {} : { NetworkMode: run.network }),
      ...(readOnly ? { ReadonlyRootfs: true } : {}),
      ...(init ? { Init: true } : {}),
      RestartPolicy: { Name: 'no' },
    },
  };
}

function portBindings(ports: RunOptions['ports'], publishAddress: string) {
  const bindings: Record<string, { HostIp: string; HostPort: string }[]> = {};
  for (const { inside, address, outside } of ports) {
    bindings[inside] ??= [];
    bindings[inside].push({ HostIp: address === '' ? publishAddress : address, HostPort: outside });
  }
  return bindings;
}
