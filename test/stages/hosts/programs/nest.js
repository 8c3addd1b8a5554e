import 'reflect-metadata';
import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';

export const name = 'NestJS 11';

class Own {
  said(_client, data) {
    return { event: 'said', data };
  }
}
decorate(Own, 'said', SubscribeMessage('say'));
WebSocketGateway({ path: '/own' })(Own);

class Pages {
  page() {
    return 'own page';
  }
  echo(body) {
    return body;
  }
}
decorate(Pages, 'page', Get('page'));
decorate(Pages, 'echo', Post('echo'));
Body()(Pages.prototype, 'echo', 0);
Controller()(Pages);

class Product {}
Module({ controllers: [Pages], providers: [Own] })(Product);

/** What the compiler of TypeScript does for a decorator of a method. */
function decorate({ prototype }, method, decorator) {
  decorator(prototype, method, Object.getOwnPropertyDescriptor(prototype, method));
}

export async function start({ order, attach, mount }) {
  const app = await NestFactory.create(Product, { logger: false, forceCloseConnections: true });
  if (mount) app.use(mount.prefix || '/', mount.express);
  // biome-ignore lint/correctness/useHookAtTopLevel: it is none of React's.
  app.useWebSocketAdapter(new WsAdapter(app));
  const server = app.getHttpServer();
  if (order === 'before') attach(server);
  await app.init();
  if (order === 'after') attach(server);
  await app.listen(0, '127.0.0.1');
  return { server, close: () => app.close() };
}
