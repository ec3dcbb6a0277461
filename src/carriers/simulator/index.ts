/**
 * The carrier simulator: a peer on loopback that speaks ARI over HTTP and WebSocket as a real Asterisk 22 was measured to do, with seeded
 * outcomes and faults, and a record of everything that it was asked for. It shares no code with the adapter that it tests.
 */
export { simulateCommand } from './command';
export type { Faults, Mix, SimulatorOptions } from './options';
export { defaultMix, faultPresets, noFaults } from './options';
export type { RecordRow, Stats } from './record';
export type { Simulator } from './start';
export { startSimulator } from './start';
