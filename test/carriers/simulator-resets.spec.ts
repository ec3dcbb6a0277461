/** The simulator as a program outlives clients that are killed, at whatever moment. */
import { connect, type Socket } from 'node:net';
import { startSimulatorProgram, type Program } from '../support/programs';

let simulator: Program;
beforeAll(async () => {
  simulator = await startSimulatorProgram(['--time-scale', '0.1']);
});
afterAll(() => simulator?.kill('SIGKILL'));

const opened = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => socket.destroy());
  await new Promise<void>((done) => socket.once('connect', () => done()).once('close', () => done()));
  return socket;
};

it('goes on when connections are reset while it answers an upgrade or a place request, wanted or refused', async () => {
  const port = Number(new URL(simulator.url).port);
  const right = Buffer.from('ledgerline:secret').toString('base64');
  for (let i = 0; i < 150; i++) {
    const head = `Host: x\r\nAuthorization: Basic ${i % 2 === 0 ? right : 'wrong'}\r\n`;
    const [events, place] = await Promise.all([opened(port), opened(port)]);
    events.write(
      `GET /ari/events?app=ledgerline HTTP/1.1\r\n${head}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    const body = JSON.stringify({ endpoint: `PJSIP/+1555${1_000_000 + i}@trunk`, app: 'ledgerline' });
    place.write(
      `POST /ari/channels HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${i % 3 === 0 ? body.slice(0, 20) : body}`,
    );
    if (i % 2 === 1) await new Promise((next) => setImmediate(next));
    events.resetAndDestroy();
    place.resetAndDestroy();
  }
  const status = await fetch(`${simulator.url}/simulator/stats`).then(
    (answer) => answer.status,
    () => null,
  );
  expect({ status, ended: simulator.exited(), output: simulator.output() }).toMatchObject({
    status: 200,
    ended: false,
  });
});
