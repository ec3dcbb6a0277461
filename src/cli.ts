#!/usr/bin/env node
/** The `ledgerline` command. */
import { isLeft } from 'fp-ts/Either';
import { Command, InvalidArgumentError, Option } from 'commander';
import { readConfig, type Config } from './config';
import { logger } from './engine/telemetry';

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const printJson = (value: unknown): void => print(JSON.stringify(value));

/** Ends the command with a message; exit code 1: it failed, 2: it was asked wrongly. */
const die = (message: string, code = 1): never => {
  process.stderr.write(`ledgerline: ${message}\n`);
  process.exit(code);
};

const configured = (overrides: Readonly<Record<string, string | undefined>> = {}): Config => {
  const given = Object.fromEntries(Object.entries(overrides).filter(([, v]) => v !== undefined));
  const config = readConfig({ ...process.env, ...given });
  return isLeft(config)
    ? die(`the configuration has mistakes:\n${config.left.map((f) => `  - ${f}`).join('\n')}`, 2)
    : config.right;
};

const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const n = Number(text);
    if (!Number.isInteger(n) || n < min || n > max)
      throw new InvalidArgumentError(`a whole number from ${min} to ${max}`);
    return n;
  };

const untilSignalled = (): Promise<string> =>
  new Promise((done) => {
    process.once('SIGINT', () => done('SIGINT'));
    process.once('SIGTERM', () => done('SIGTERM'));
  });

const program = new Command('ledgerline')
  .description('Outbound calling campaigns that can prove every call')
  .showHelpAfterError();
const dataDir = new Option('--data-dir <folder>', 'the data folder (default: DATA_DIR or ./data)');

program
  .command('serve')
  .description('run the platform (settings by environment, see README)')
  .option('--role <roles>', "roles of this process: 'all' or a list of api, relay, projector, dialer")
  .option('--port <port>', 'port to listen on; 0: any free one')
  .addOption(dataDir)
  .action(async (options: { role?: string; port?: string; dataDir?: string }) => {
    const config = configured({ ROLE: options.role, PORT: options.port, DATA_DIR: options.dataDir });
    // Before anything takes time: the first process of a container is not ended by a signal that it does not handle.
    const signalled = untilSignalled();
    // It may wait for its engines for ever: nothing is begun yet that would have to be finished.
    let isServing = false;
    void signalled.then(() => {
      if (!isServing) process.exit(0);
    });
    const { serve } = await import('./commands/serve.js');
    const serving = await serve(config, logger(config.logLevel));
    isServing = true;
    if (isLeft(serving)) return die(serving.left);
    const { created, url, stop } = serving.right;
    if (created !== null) {
      print(`Created organization ${created.organizationId} '${created.name}'.`);
      print(
        created.apiKey === null
          ? 'Its API key is the one in LEDGERLINE_BOOTSTRAP_KEY.'
          : `Its API key, shown only this once: ${created.apiKey}`,
      );
    }
    print(`Ledgerline listens on ${url}`);
    await signalled;
    await stop();
    process.exit(0);
  });

program
  .command('demo')
  .description('run a real campaign on this machine, against the carrier simulator, and prove what happened')
  .option('--contacts <n>', 'contacts in the list', wholeNumber(1, 1_000_000), 500)
  .option('--seed <n>', 'seed of the contact list and of the simulator', wholeNumber(0, 2 ** 31), 7)
  .option('--faults <preset>', "faults of the simulator: 'none' or 'lossy'", 'none')
  .addOption(dataDir)
  .action(async (options: { contacts: number; seed: number; faults: string; dataDir?: string }) => {
    const { demo } = await import('./commands/demo.js');
    process.exit(await demo(options));
  });

program
  .command('simulate')
  .description('run the carrier simulator: a peer that speaks ARI, with seeded outcomes, latencies and faults')
  .option('--port <port>', 'port to listen on; 0: any free one', wholeNumber(0, 65_535), 8088)
  .option('--host <address>', 'address to listen on; 0.0.0.0: every one', '127.0.0.1')
  .option('--seed <n>', 'seed of outcomes and latencies', wholeNumber(0, 2 ** 31), 1)
  .option('--faults <preset>', "'none' or 'lossy'", 'none')
  .option(
    '--by-digit',
    'phones behave by the last digit of their number (0-3 a person, 4 stays on, 5 busy, 6 no answer, 7 machine, 8 declines, 9 unknown)',
  )
  .option('--time-scale <factor>', 'every duration of a call is multiplied by this', Number, 1)
  .option('--record <file>', 'write what it sees as lines of JSON')
  .action(
    async (options: {
      port: number;
      host: string;
      seed: number;
      faults: string;
      byDigit?: boolean;
      timeScale: number;
      record?: string;
    }) => {
      const { faultPresets, simulateCommand } = await import('./carriers/simulator/index.js');
      const faults = faultPresets[options.faults];
      if (faults === undefined)
        return die(`unknown faults '${options.faults}'; known: ${Object.keys(faultPresets).join(', ')}`, 2);
      await simulateCommand({
        port: options.port,
        host: options.host,
        seed: options.seed,
        faults,
        mode: options.byDigit === true ? 'by-digit' : 'seeded',
        timeScale: options.timeScale,
        ...(options.record === undefined ? {} : { recordFile: options.record }),
      });
      process.exit(0);
    },
  );

program
  .command('rebuild')
  .description('fold every read model anew from the ledger (the server must be stopped)')
  .argument('[names...]', 'read models; none: all')
  .addOption(dataDir)
  .action(async (names: string[], options: { dataDir?: string }) => {
    const { rebuildCommand } = await import('./commands/maintain.js');
    process.exit(await rebuildCommand(configured({ DATA_DIR: options.dataDir, LOG_LEVEL: 'warn' }), names, print));
  });

program
  .command('verify')
  .description(
    'check the hash chain of every stream, and that read models equal a fresh fold (the server must be stopped)',
  )
  .addOption(dataDir)
  .action(async (options: { dataDir?: string }) => {
    const { verifyCommand } = await import('./commands/maintain.js');
    process.exit(await verifyCommand(configured({ DATA_DIR: options.dataDir, LOG_LEVEL: 'warn' }), print));
  });

program
  .command('events')
  .description(
    'print the events of one stream, e.g. run-1_42, as lines of JSON (sealed values stay sealed; the server must be stopped)',
  )
  .argument('<stream>')
  .addOption(dataDir)
  .action(async (stream: string, options: { dataDir?: string }) => {
    const { eventsCommand } = await import('./commands/maintain.js');
    process.exit(await eventsCommand(configured({ DATA_DIR: options.dataDir, LOG_LEVEL: 'warn' }), stream, print));
  });

/** Runs an administrative command on the server of the folder, or on the folder itself where none runs. */
const administer = async (
  command: string,
  args: Readonly<Record<string, unknown>>,
  folder: string | undefined,
): Promise<void> => {
  const { administer: carryOut } = await import('./commands/administer.js');
  const reply = await carryOut(configured({ DATA_DIR: folder, LOG_LEVEL: 'warn' }), { command, args });
  if (!reply.ok) return die(reply.message);
  printJson(reply.result);
  process.exit(0);
};

const org = program.command('org').description('organizations');
org
  .command('create')
  .description('create an organization and its first API key; prints JSON')
  .requiredOption('--name <name>', 'name of the organization')
  .addOption(dataDir)
  .action((options: { name: string; dataDir?: string }) =>
    administer('org create', { name: options.name }, options.dataDir),
  );
org
  .command('limits')
  .description('change what an organization may do at once; prints JSON')
  .requiredOption('--org <id>', 'organization id', wholeNumber(1, Number.MAX_SAFE_INTEGER))
  .option('--concurrent-calls <n>', 'calls at the same time', wholeNumber(1, 100_000))
  .option('--calls-per-second <n>', 'calls placed per second', wholeNumber(1, 100_000))
  .addOption(dataDir)
  .action((options: { org: number; concurrentCalls?: number; callsPerSecond?: number; dataDir?: string }) =>
    administer(
      'org limits',
      {
        org: options.org,
        concurrent_calls: options.concurrentCalls ?? null,
        calls_per_second: options.callsPerSecond ?? null,
      },
      options.dataDir,
    ),
  );

program
  .command('key')
  .description('API keys')
  .command('create')
  .description('create an API key; prints JSON')
  .requiredOption('--org <id>', 'organization id', wholeNumber(1, Number.MAX_SAFE_INTEGER))
  .requiredOption('--name <name>', 'name of the key')
  .option('--scopes <list>', 'of read, write, audit, separated by commas (default: all)')
  .addOption(dataDir)
  .action((options: { org: number; name: string; scopes?: string; dataDir?: string }) =>
    administer(
      'key create',
      { org: options.org, name: options.name, scopes: options.scopes?.split(',').map((s) => s.trim()) ?? null },
      options.dataDir,
    ),
  );

program
  .command('vault')
  .description('the keys of sealed values')
  .command('rotate')
  .description(
    'wrap every key with VAULT_MASTER_KEY, whichever of VAULT_PREVIOUS_MASTER_KEYS wrapped it; may be interrupted and run again, also with servers running that know both',
  )
  .action(async () => {
    const { rotateCommand } = await import('./commands/rotate.js');
    process.exit(await rotateCommand(configured({ LOG_LEVEL: 'warn' }), print));
  });

program.parseAsync().catch((error: unknown) => die(error instanceof Error ? error.message : String(error)));
