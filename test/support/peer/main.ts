/** The peer as a process: PEER_PORT (2113), PEER_DATA (./peer-data), PEER_NOT_READY_MS (500), PEER_HEALTH_PORT (none). */
import { createServer } from 'node:http';
import { startPeer } from './server';

const number = (name: string, fallback: number): number => Number(process.env[name] ?? fallback);

const main = async (): Promise<void> => {
  const peer = await startPeer({
    folder: process.env['PEER_DATA'] ?? './peer-data',
    port: number('PEER_PORT', 2113),
    host: '0.0.0.0',
    notReadyFor: number('PEER_NOT_READY_MS', 500),
  });
  const healthPort = number('PEER_HEALTH_PORT', 0);
  // The server's own check: `GET /health/live` answers 204 once it serves.
  const health = createServer((_request, response) => response.writeHead(peer.isReady() ? 204 : 503).end());
  if (healthPort > 0) health.listen(healthPort, '0.0.0.0');
  process.stdout.write(`peer listening on ${peer.port}\n`);
  const stop = (): void => {
    health.close();
    void peer.stop().then(() => process.exit(0));
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
};

main().catch((error: unknown) => {
  process.stderr.write(`the peer could not start: ${(error as Error).message}\n`);
  process.exit(1);
});
