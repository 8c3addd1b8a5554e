/** The screens of one application; the first is the one that its own address shows. */
export interface Tab {
  readonly label: string;
  readonly to: string;
}

export const tabs: readonly Tab[] = [
  { label: 'Overview', to: '/apps/$id' },
  { label: 'Events', to: '/apps/$id/events' },
  { label: 'Data', to: '/apps/$id/data' },
  { label: 'Permissions', to: '/apps/$id/permissions' },
];
