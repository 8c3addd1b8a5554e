import { jsonBody } from '../../http/body.js';
import { empty, json } from '../../http/reply.js';
import { routeFor } from '../../http/route.js';
import { AppId } from '../../model/applications.js';
import {
  CheckpointHistory,
  Savepoint,
  SavepointId,
  SavepointList,
  SavepointOrder,
} from '../../model/checkpoints.js';
import type { CheckpointService } from './service.js';

const route = routeFor<CheckpointService>();

export const checkpointRoutes = {
  getCheckpoints: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/checkpoints',
    access: 'user',
    resource: 'application read',
    requires: 'master.checkpoints',
    summary: 'Read what is known of the checkpoints of an application: counts, the latest, the history',
    params: AppId,
    reply: json(CheckpointHistory),
    handle: (checkpoints, call) => checkpoints.read(call, call.params.appid),
  }),
  listSavepoints: route({
    method: 'GET',
    path: '/ws/v2/applications/{appid}/savepoints',
    access: 'user',
    resource: 'application read',
    requires: 'master.savepoints',
    summary: 'List the savepoints of an application in the order of their start, also of an ended one',
    params: AppId,
    reply: json(SavepointList),
    handle: (checkpoints, call) => checkpoints.savepoints(call, call.params.appid),
  }),
  startSavepoint: route({
    method: 'POST',
    path: '/ws/v2/applications/{appid}/savepoints',
    access: 'user',
    resource: 'application change',
    requires: 'master.savepoints',
    summary: 'Have a savepoint made, and answer at once with it; while one is under way it is that one',
    params: AppId,
    body: jsonBody(SavepointOrder, { optional: true }),
    reply: json(Savepoint),
    handle: (checkpoints, call) => checkpoints.startSavepoint(call, call.params.appid, call.body),
  }),
  deleteSavepoint: route({
    method: 'DELETE',
    path: '/ws/v2/applications/{appid}/savepoints/{id}',
    access: 'user',
    resource: 'application change',
    requires: 'master.savepoints',
    summary: 'Delete a savepoint that is not being made, with its files',
    params: SavepointId,
    reply: empty,
    handle: (checkpoints, call) => checkpoints.removeSavepoint(call, call.params.appid, call.params.id),
  }),
};
