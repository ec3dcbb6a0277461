/** The platform as its compose file deploys it: a project of its own, driven by the docker command, as an operator does. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './programs';

const root = join(__dirname, '..', '..');
const run = promisify(execFile);

export const ROLES = ['api', 'relay', 'projector', 'dialer'] as const;
export const ENGINES = ['eventstore', 'mongo', 'nats', 's3'] as const;

/** One container, as the engine shows it. */
export interface Container {
  readonly id: string;
  readonly status: string;
  /** `starting`, `healthy`, `unhealthy`; null: it has no check. */
  readonly health: string | null;
  readonly exitCode: number;
  readonly user: string;
  readonly readOnly: boolean;
  readonly droppedCapabilities: readonly string[];
}

export interface Project {
  readonly services: readonly string[];
  /** Any compose command; rejects with what it printed when it fails. */
  compose(...args: readonly string[]): Promise<string>;
  containers(service: string): Promise<readonly Container[]>;
  /** SIGKILL to the first container of a service, as a crash. */
  kill(service: string): Promise<void>;
  start(service: string): Promise<void>;
  /** Waits until every container of these services is healthy. */
  healthy(services: readonly string[], timeoutMs: number): Promise<void>;
}

/** Settings file of a deployment: `.env.example` with these values filled in, and those that it does not name at its end. */
export const fillIn = async (path: string, settings: Readonly<Record<string, string>>): Promise<void> => {
  const example = await readFile(join(root, '.env.example'), 'utf8');
  const rest = { ...settings };
  const lines = example.split('\n').map((line) => {
    const name = /^#?([A-Z0-9_]+)=/.exec(line)?.[1] ?? '';
    const value = rest[name];
    if (value === undefined) return line;
    delete rest[name];
    return `${name}=${value}`;
  });
  await writeFile(path, [...lines, ...Object.entries(rest).map(([name, value]) => `${name}=${value}`), ''].join('\n'), {
    mode: 0o600,
  });
};

/** Whether an image, which is fetched where it is missing, has a program on its PATH. */
export const hasProgram = (image: string, name: string): Promise<boolean> =>
  run('docker', [
    'run',
    '--rm',
    '--network',
    'none',
    '--entrypoint',
    'sh',
    image,
    '-c',
    `command -v ${name} || exit 3`,
  ]).then(
    () => true,
    (error: { readonly code?: unknown; readonly stderr?: string }) => {
      if (error.code === 3) return false;
      throw new Error(`${image} could not be asked for ${name}: ${error.stderr ?? ''}`, { cause: error });
    },
  );

interface Inspected {
  readonly Id: string;
  readonly State: { readonly Status: string; readonly ExitCode: number; readonly Health?: { readonly Status: string } };
  readonly Config: { readonly User: string };
  readonly HostConfig: { readonly ReadonlyRootfs: boolean; readonly CapDrop: readonly string[] | null };
}

/** `envFile`: written by `fillIn`; its names are taken out of the environment, which would come first. */
export const composeProject = async (
  name: string,
  files: readonly string[],
  profile: string,
  envFile: string,
): Promise<Project> => {
  const named = [...(await readFile(envFile, 'utf8')).matchAll(/^([A-Z0-9_]+)=/gm)].map(([, one]) => one);
  const env = Object.fromEntries(Object.entries(process.env).filter(([one]) => !named.includes(one)));
  const docker = async (...args: readonly string[]): Promise<string> => {
    try {
      return (await run('docker', args, { env, cwd: root, maxBuffer: 64 * 1024 * 1024 })).stdout;
    } catch (error) {
      const { stdout, stderr } = error as { readonly stdout?: string; readonly stderr?: string };
      throw new Error(`docker ${args.join(' ')}:\n${stdout ?? ''}${stderr ?? ''}`.slice(-4000), { cause: error });
    }
  };
  const options = ['-p', name, '--env-file', envFile, '--profile', profile, ...files.flatMap((file) => ['-f', file])];
  const compose: Project['compose'] = (...args) => docker('compose', ...options, ...args);

  const containers: Project['containers'] = async (service) => {
    const ids = (await compose('ps', '-a', '-q', service)).split('\n').filter((id) => id !== '');
    if (ids.length === 0) return [];
    const inspected = JSON.parse(await docker('inspect', ...ids)) as readonly Inspected[];
    return inspected.map(({ Id, State, Config, HostConfig }) => ({
      id: Id,
      status: State.Status,
      health: State.Health?.Status ?? null,
      exitCode: State.ExitCode,
      user: Config.User,
      readOnly: HostConfig.ReadonlyRootfs,
      droppedCapabilities: HostConfig.CapDrop ?? [],
    }));
  };
  const first = async (service: string): Promise<string> => {
    const [container] = await containers(service);
    if (container === undefined) throw new Error(`${service} has no container`);
    return container.id;
  };
  return {
    services: (await compose('config', '--services')).split('\n').filter((service) => service !== ''),
    compose,
    containers,
    kill: async (service) => void (await docker('kill', await first(service))),
    start: async (service) => void (await docker('start', await first(service))),
    healthy: async (services, timeoutMs) => {
      await Promise.all(
        services.map((service) =>
          eventually(
            `${service} healthy`,
            timeoutMs,
            async () => {
              const found = await containers(service);
              const well = found.length > 0 && found.every(({ health }) => health === 'healthy');
              return well ? true : null;
            },
            1000,
          ),
        ),
      );
    },
  };
};
