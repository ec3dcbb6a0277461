/** `ledgerline simulate`. */
import type { SimulatorOptions } from './options';
import { startSimulator } from './start';

/** Runs a simulator until SIGINT or SIGTERM. Says on stdout where it listens and what a configuration needs. */
export const simulateCommand = async (options: SimulatorOptions): Promise<void> => {
  const simulator = await startSimulator(options);
  const stopped = new Promise<void>((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
  process.stdout.write(
    [
      `The carrier simulator listens on ${simulator.url}`,
      '',
      'A telephony configuration for it:',
      JSON.stringify({
        provider: 'ari',
        ari_endpoint: simulator.url,
        app_name: simulator.user,
        app_password: simulator.password,
        dial_string_template: 'PJSIP/{number}@trunk',
      }),
      '',
      `What it saw:  curl ${simulator.url}/simulator/stats   curl ${simulator.url}/simulator/record`,
      'Ctrl-C ends it.',
      '',
    ].join('\n'),
  );
  await stopped;
  const { requests, calls, max_open: maxOpen } = simulator.stats();
  process.stdout.write(`\n${requests} place requests, ${calls} calls, at most ${maxOpen} at once\n`);
  await simulator.close();
};
