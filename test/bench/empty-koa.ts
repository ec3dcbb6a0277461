/** What a Koa app can do at most: one middleware, one constant. A program of its own, so that it shares no thread with who asks it. */
import type { AddressInfo } from 'node:net';
import Koa from 'koa';

const app = new Koa();
app.use((ctx) => {
  ctx.body = { ok: true };
});
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`an empty Koa app listens on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
