import { createServer } from 'node:http';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import { listening } from './listening.js';

/** A host in Koa, with koa-body in front of the gateway or behind it. */
export function startKoa(parsesFirst, { mount, ...how }) {
  const app = new Koa();
  if (parsesFirst) app.use(koaBody());
  if (mount) app.use(mount.koa);
  if (!parsesFirst) app.use(koaBody());
  app.use((context) => {
    if (context.path === '/page') context.body = 'own page';
    else if (context.path === '/echo') context.body = context.request.body;
  });
  return listening(createServer(app.callback()), how);
}
