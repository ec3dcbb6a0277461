/** The peer as a process of its own, for tests that kill and freeze it. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

export interface PeerProcess {
  readonly url: string;
  /** Ends it as a power cut would, and waits until it is gone. */
  kill(): Promise<void>;
  /** Stops its clock: connections stay open and nobody answers. */
  freeze(): void;
  thaw(): void;
}

/** Resolves when the port is open; calls are served `notReadyFor` ms later. */
export const startPeerProcess = (options: {
  readonly folder: string;
  readonly port: number;
  readonly notReadyFor?: number;
}): Promise<PeerProcess> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(__dirname, 'run.mjs')], {
      env: {
        ...process.env,
        PEER_DATA: options.folder,
        PEER_PORT: String(options.port),
        PEER_NOT_READY_MS: String(options.notReadyFor ?? 0),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const gone = new Promise<void>((done) => child.once('exit', () => done()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (!output.includes('peer listening')) return;
      resolve({
        url: `esdb://127.0.0.1:${options.port}?tls=false`,
        kill: () => {
          child.kill('SIGKILL');
          return gone;
        },
        freeze: () => void child.kill('SIGSTOP'),
        thaw: () => void child.kill('SIGCONT'),
      });
    });
    void gone.then(() => reject(new Error(`the peer ended:\n${output}`)));
  });
