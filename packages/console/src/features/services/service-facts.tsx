import { Alert, Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { megabytes } from '../../format/bytes.js';
import { momentWithOffset } from '../../format/time.js';
import { usePreferences } from '../../gateway/preferences.js';
import { Facts } from '../../shell/facts.js';
import { Panel } from '../../shell/panel.js';
import { State } from '../../shell/state.js';
import { Moment } from '../../shell/time.js';
import type { Service } from './actions.js';
import { words } from './words.js';

const { facts } = words;

/** What a service is and how it stands. */
export function ServiceFacts({ service }: { readonly service: Service }) {
  const { zone } = usePreferences();
  const { stateDetail, observedAt, container, engine, appId } = service;
  const lines: readonly (readonly [string, ReactNode, isShown?: boolean])[] = [
    [facts.state, <State key="state" state={service.state} />],
    [facts.kind, words.kinds[service.type]],
    [
      facts.description,
      <bdi key="description">{service.description}</bdi>,
      service.description !== undefined,
    ],
    [facts.enabled, service.enabled ? words.yes : words.no],
    [facts.installed, <Moment key="installed" at={service.installedTime} />],
    [facts.memory, megabytes(service.memoryMB || undefined)],
    [facts.source, service.srcUrl, service.srcUrl !== undefined],
    [facts.run, <code key="run">{container?.run}</code>, container !== undefined],
    [facts.exec, <code key="exec">{container?.exec}</code>, container?.exec !== undefined],
    [facts.appName, engine?.appName, engine !== undefined],
    [facts.container, service.containerId, service.containerId !== undefined],
    [facts.application, <AppLink key="app" id={appId ?? ''} />, appId !== undefined],
    [facts.address, service.proxy?.address, service.proxy !== undefined],
    [facts.needs, service.requiredServices.join(', '), service.requiredServices.length > 0],
    [facts.neededBy, <Dependents key="by" service={service} />, service.dependentApps.length > 0],
  ];
  return (
    <Panel title={words.aboutIt}>
      {stateDetail && (
        <Alert variant="outline" color={service.state === 'FAILED' ? 'red' : 'blue'}>
          <Text size="sm">{stateDetail}</Text>
        </Alert>
      )}
      {observedAt !== undefined && (
        <Text size="sm" className="stale">
          {words.last(momentWithOffset(observedAt, zone))}
        </Text>
      )}
      <Facts facts={lines.filter(([, , isShown = true]) => isShown).map(([name, value]) => [name, value])} />
    </Panel>
  );
}

const AppLink = ({ id, label = id }: { readonly id: string; readonly label?: string }) => (
  <Anchor size="sm" renderRoot={(props) => <Link {...props} to="/apps/$id" params={{ id }} />}>
    <bdi>{label}</bdi>
  </Anchor>
);

const Dependents = ({ service }: { readonly service: Service }) =>
  service.dependentApps.map(({ appId, appName }) => (
    <span key={appId}>
      <AppLink id={appId} label={appName} />{' '}
    </span>
  ));

/** Variables that it tells to others, and what its application was launched with. */
export function ServiceValues({ service }: { readonly service: Service }) {
  const variables = Object.entries(service.metadata);
  const launchArgs = Object.entries(service.engine?.launchArgs ?? {});
  return (
    <Panel title={words.variables}>
      {variables.length === 0 ? (
        <Text size="sm" className="soft">
          {words.noVariables}
        </Text>
      ) : (
        <Facts facts={variables} />
      )}
      {launchArgs.length > 0 && (
        <>
          <Text size="sm" fw={600}>
            {words.launchArguments}
          </Text>
          <Facts facts={launchArgs} />
        </>
      )}
    </Panel>
  );
}
