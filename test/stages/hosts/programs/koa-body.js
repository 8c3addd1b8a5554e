import { startKoa } from '../parts/koa.js';

export const name = 'Koa 3, after koa-body';

export const start = (how) => startKoa(true, how);
