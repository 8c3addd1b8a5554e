/** The screens of one application; the first is the one that its own address shows. */
export interface Tab {
  readonly label: string;
  readonly to: string;
}

export const tabs: readonly Tab[] = [
  { label: 'Overview', to: '/apps/$id' },
  { label: 'Graph', to: '/apps/$id/graph' },
  { label: 'Operators', to: '/apps/$id/operators' },
  { label: 'Containers', to: '/apps/$id/containers' },
  { label: 'Recordings', to: '/apps/$id/recordings' },
  { label: 'Checkpoints', to: '/apps/$id/checkpoints' },
  { label: 'Events', to: '/apps/$id/events' },
  { label: 'Data', to: '/apps/$id/data' },
  { label: 'Permissions', to: '/apps/$id/permissions' },
];
