import { Link } from '@tanstack/react-router';
import { Facts } from '../../shell/facts.js';
import { Name } from '../../shell/name.js';
import { Panel } from '../../shell/panel.js';
import { Moment } from '../../shell/time.js';
import { words } from './words.js';

interface Version {
  readonly user: string;
  readonly name: string;
  readonly version: string;
}

interface SourceOf {
  readonly id: string;
  readonly user: string;
  readonly queue: string;
  readonly applicationType: string;
  readonly version: string;
  readonly startedTime: number;
  readonly finishedTime: number;
  readonly appPackageSource?:
    | (Version & { readonly appName: string; readonly configPackage?: Version | undefined })
    | undefined;
}

/** Who started it, when, and from which package. */
export function Source({ app }: { readonly app: SourceOf }) {
  const { appPackageSource: source } = app;
  const { configPackage } = source ?? {};
  return (
    <Panel title={words.source}>
      <Facts
        facts={[
          [words.package, source ? <PackageLink key="package" {...source} /> : words.noPackage],
          ...(source ? [[words.application, source.appName] as const] : []),
          ...(configPackage ? [[words.configuration, titleOf(configPackage)] as const] : []),
          [words.user, <Name key="user">{app.user}</Name>],
          [words.started, <Moment key="started" at={app.startedTime} />],
          ...(app.finishedTime > 0
            ? [[words.finished, <Moment key="finished" at={app.finishedTime} />] as const]
            : []),
          [words.queue, app.queue],
          [words.engine, `${app.applicationType} ${app.version}`],
          [words.id, app.id],
        ]}
      />
    </Panel>
  );
}

const titleOf = ({ user, name, version }: Version) => `${user}/${name} ${version}`;

function PackageLink(source: Version) {
  const { user, name, version } = source;
  const path = ['/packages', ...[user, name, version].map(encodeURIComponent)].join('/');
  return <Link to={path}>{titleOf(source)}</Link>;
}
