import { DoItem } from '../../shell/do.js';
import { MoreMenu } from '../../shell/more-menu.js';
import { askToDelete, askToStop, openPage, type Service, start, useServiceActions } from './actions.js';
import { words } from './words.js';

export function ServiceMenu({ service }: { readonly service: Service }) {
  const may = useServiceActions()(service);
  return (
    <MoreMenu label={words.actionsOf(service.name)}>
      <DoItem may={may.open} onClick={() => openPage(service)}>
        {words.open}
      </DoItem>
      <DoItem may={may.start} onClick={() => start(service)}>
        {words.start}
      </DoItem>
      <DoItem may={may.stop} onClick={() => askToStop(service)}>
        {words.stop}
      </DoItem>
      <DoItem may={may.remove} onClick={() => askToDelete(service)} danger>
        {words.delete}
      </DoItem>
    </MoreMenu>
  );
}
