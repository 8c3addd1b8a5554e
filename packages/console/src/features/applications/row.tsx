import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import { useRecent } from '../../charts/recent.js';
import { Sparkline } from '../../charts/sparkline.js';
import { duration } from '../../format/duration.js';
import { rate } from '../../format/number.js';
import { useTopic } from '../../gateway/use-topic.js';
import { Name } from '../../shell/name.js';
import table from '../../shell/row-table.module.css';
import { State } from '../../shell/state.js';
import { isOverIn } from '../../shell/states.js';
import { Ago, Since } from '../../shell/time.js';
import { ActionsMenu } from './actions-menu.js';
import classes from './applications.module.css';
import { causeOf, groupOf, type Row } from './rows.js';

interface Props {
  readonly app: Row;
  readonly index: number;
}

/** One line of the list. Only those on screen are drawn, and only these listen to their application. */
export const ApplicationRow = memo(function ApplicationRow({ app, index }: Props) {
  const cause = causeOf(app);
  return (
    <div role="row" aria-rowindex={index + 2} className={`${table['row']} ${classes['row']}`}>
      <span role="cell">
        <State state={app.state} />
      </span>
      <span role="cell" className={classes['name']}>
        <Link to="/apps/$id" params={{ id: app.id }}>
          <Name>{app.name}</Name>
        </Link>
        {cause && (
          <small className={classes['cause']} title={cause} dir="auto">
            {cause}
          </small>
        )}
      </span>
      <span role="cell" className={classes['user']}>
        <Name>{app.user}</Name>
      </span>
      {groupOf(app.state) === 'running' ? <Figures id={app.id} /> : <NoFigures />}
      <span role="cell" className="figure">
        {isOverIn(app.state) ? <Ago at={app.finishedTime} /> : <Since at={app.startedTime} />}
      </span>
      <span role="cell">
        <ActionsMenu app={app} />
      </span>
    </div>
  );
});

function Figures({ id }: { readonly id: string }) {
  const live = useTopic(`applications.${id}`);
  const { tuplesProcessedPSMA, tuplesEmittedPSMA, latency } = live?.data ?? {};
  const inward = useRecent(tuplesProcessedPSMA, live?.receivedAt);
  const late = useRecent(latency, live?.receivedAt);
  return (
    <>
      <span role="cell" className={classes['figure']}>
        <Sparkline points={inward} />
        {rate(tuplesProcessedPSMA)}
      </span>
      <span role="cell" className="figure">
        {rate(tuplesEmittedPSMA)}
      </span>
      <span role="cell" className={classes['figure']}>
        <Sparkline points={late} />
        {duration(latency)}
      </span>
    </>
  );
}

function NoFigures() {
  return (
    <>
      <span role="cell" className="figure">
        –
      </span>
      <span role="cell" className="figure">
        –
      </span>
      <span role="cell" className="figure">
        –
      </span>
    </>
  );
}
