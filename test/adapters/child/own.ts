/** Takes a folder, tells `owned` or why not, and holds it until stdin ends. */
import { isLeft } from 'fp-ts/Either';
import { ownFolder } from '../../../src/adapters/embedded/folder';

const run = async (folder: string): Promise<void> => {
  const owned = await ownFolder(folder);
  process.stdout.write(isLeft(owned) ? `${owned.left}\n` : 'owned\n');
  if (isLeft(owned)) return;
  process.stdin.resume();
  await new Promise((ended) => process.stdin.once('end', ended));
  await owned.right.release();
};

void run(process.argv[2] as string);
