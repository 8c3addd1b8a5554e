import 'reflect-metadata';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { WsAdapter } from '@nestjs/platform-ws';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';

export const name = 'NestJS with its WsAdapter';

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
}
decorate(Pages, 'page', Get('page'));
Controller()(Pages);

class Product {}
Module({ controllers: [Pages], providers: [Own] })(Product);

/** What the compiler of TypeScript does for a decorator of a method. */
function decorate({ prototype }, method, decorator) {
  decorator(prototype, method, Object.getOwnPropertyDescriptor(prototype, method));
}

/** A product whose WebSocket at /own says everything again; `attach` gets its server before or after that is there. */
export async function start(order, attach) {
  const app = await NestFactory.create(Product, { logger: false });
  app.useWebSocketAdapter(new WsAdapter(app));
  const server = app.getHttpServer();
  if (order === 'before') attach(server);
  await app.init();
  if (order === 'after') attach(server);
  await app.listen(0, '127.0.0.1');
  return { server, close: () => app.close() };
}
