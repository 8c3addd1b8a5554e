import { plural } from '../../shell/words.js';
import type { Kind } from './layout.js';

const kindNames: Readonly<Record<Kind, string>> = {
  table: 'Table',
  line: 'Lines over time',
  bar: 'Bars',
  value: 'Single value',
};

export const words = {
  title: 'Data',
  none: 'This application has no data sources',
  noneHint:
    'An operator that answers queries, such as headgate.io.SnapshotServer, becomes one: its rows are shown here as tables, charts and values.',
  ended: 'This application has ended: its data sources answer no more.',
  noWidgets: 'No widget is on this page',
  noWidgetsHint: 'Add one to see what a data source tells.',
  add: 'Add widget',
  usual: 'Reset',
  unreadable:
    'Your layout of this page can’t be read; a table for each source is shown. The next change replaces it.',
  notKept: 'The layout was not kept',
  source: 'Data source',
  kind: 'Shown as',
  kindNames,
  label: 'Rows are named by',
  value: 'Value',
  required: 'Choose a field',
  fieldsUnknown: 'Its fields are not known yet: the source has to answer first.',
  actionsOf: (name: string) => `Change ${name}`,
  earlier: 'Move back',
  later: 'Move forward',
  wider: 'Wider',
  narrower: 'Narrower',
  taller: 'Taller',
  lower: 'Lower',
  remove: 'Remove',
  titleOf: (source: string, kind: Kind) => `${source} · ${kindNames[kind].toLowerCase()}`,
  gone: (source: string) => `The application has no data source ${source} any more.`,
  waiting: (topic: string, age: string) => `Waits for ${topic} since ${age}.`,
  noRows: 'The source answers, and has no rows yet.',
  noNumber: (field: string) => `No row has a number in ${field}.`,
  silent: (age: string) => `Nothing new for ${age}`,
  rowCount: (count: number) => plural(count, 'row', 'rows'),
};
