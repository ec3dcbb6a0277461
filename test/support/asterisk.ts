/** A real Asterisk in a container, with the phones that the contract's numbers mean behind its endpoint `trunk`. */
import { existsSync } from 'node:fs';
import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers';

export interface Asterisk {
  readonly port: () => number;
  readonly host: string;
  /** Ends it and starts it anew: every channel is gone; the mapped port is another one, unless it was chosen. */
  restart(how: 'killed' | 'stopped'): Promise<void>;
  /** As a power failure. */
  kill(): Promise<void>;
  /** Begins it again after `kill`; resolves when the container runs, not when it answers. Its address stays only if `hostPort` was chosen. */
  start(): Promise<void>;
  /** Ids of the channels that it has. */
  channels(): Promise<readonly string[]>;
  /** A global variable of its dialplan. */
  variable(name: string): Promise<string>;
  stop(): Promise<void>;
}

const dockerAnswers = (): boolean => {
  const host = process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';
  return !host.startsWith('unix://') || existsSync(host.slice('unix://'.length));
};

/** Why there is no Asterisk here; null: there is one. With `REQUIRE_ENGINES=all` its absence is a failure, not a reason to skip. */
export const asteriskAbsence = (): string | null => {
  const absence =
    process.env['ASTERISK_IMAGE'] === undefined
      ? 'ASTERISK_IMAGE names no image'
      : dockerAnswers()
        ? null
        : 'there is no Docker engine';
  if (absence !== null && process.env['REQUIRE_ENGINES'] === 'all')
    throw new Error(`REQUIRE_ENGINES=all, but ${absence}`);
  return absence;
};

export const ariUser = 'ledgerline';
export const ariPassword = 'secret';

const authorization = `Basic ${Buffer.from(`${ariUser}:${ariPassword}`).toString('base64')}`;

const answers = async (url: string): Promise<boolean> => {
  try {
    const reply = await fetch(`${url}/ari/asterisk/ping`, { headers: { authorization } });
    return reply.status === 200;
  } catch {
    return false;
  }
};

/** Waits until `condition` holds. Rejects after `timeoutMs`. */
export const until = async (
  what: string,
  timeoutMs: number,
  condition: () => boolean | Promise<boolean>,
): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

/**
 * Starts one; ready when its phones answer too. `dialplan`: contexts beyond those of the image. `hostPort`: where ARI is reached, also after a
 * restart; null: anywhere.
 */
export const startAsterisk = async (dialplan = '', hostPort: number | null = null): Promise<Asterisk> => {
  const container = await new GenericContainer(process.env['ASTERISK_IMAGE'] ?? '')
    .withExposedPorts(hostPort === null ? 8088 : { container: 8088, host: hostPort })
    .withCopyContentToContainer([{ content: dialplan, target: '/etc/pbx/extensions.d/test.conf' }])
    .withWaitStrategy(Wait.forListeningPorts())
    .start();
  const host = container.getHost();
  const port = (): number => container.getMappedPort(8088);
  const url = (): string => `http://${host}:${port()}`;
  const ready = async (): Promise<void> => {
    await until('Asterisk answers', 30_000, () => answers(url()));
    await until('the phones are there', 30_000, async () => {
      const { exitCode } = await container.exec([
        'sh',
        '-c',
        'asterisk -C /etc/phones/asterisk.conf -rx "core waitfullybooted"',
      ]);
      return exitCode === 0;
    });
  };
  await ready();
  const docker = async () => (await getContainerRuntimeClient()).container.getById(container.getId());
  return {
    port,
    host,
    kill: async () => void (await (await docker()).kill()),
    start: async () => void (await (await docker()).start()),
    restart: async (how) => {
      if (how === 'killed') await (await docker()).kill();
      await container.restart({ timeout: 0 });
      await ready();
    },
    channels: async () => {
      const reply = await fetch(`${url()}/ari/channels`, { headers: { authorization } });
      return ((await reply.json()) as { id: string }[]).map(({ id }) => id);
    },
    variable: async (name) => {
      const reply = await fetch(`${url()}/ari/asterisk/variable?variable=${name}`, { headers: { authorization } });
      return ((await reply.json()) as { value: string }).value;
    },
    stop: async () => {
      await container.stop({ timeout: 0 });
    },
  };
};
