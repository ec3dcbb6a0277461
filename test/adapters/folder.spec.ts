import { isLeft } from 'fp-ts/Either';
import { ownFolder, type OwnedFolder } from '../../src/adapters/embedded/folder';
import { tempFolder, type TempFolder } from '../support/temp';
import { startChild } from './child/start';

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const owned = async (): Promise<OwnedFolder> => {
  const answer = await ownFolder(folder.path);
  if (isLeft(answer)) throw new Error(answer.left);
  return answer.right;
};
const refusal = async (path = folder.path): Promise<string> => {
  const answer = await ownFolder(path);
  return isLeft(answer) ? answer.left : 'owned';
};

it('is taken once, and again after it was given back', async () => {
  const first = await owned();
  expect(await refusal()).toContain(folder.path);
  await first.release();
  await first.release();
  await (await owned()).release();
});

it('names folder and process of the owner to another process, and to this one when another has it', async () => {
  const mine = await owned();
  const child = startChild('own', [folder.path]);
  const message = await child.said(/./);
  expect(message).toContain(folder.path);
  expect(message).toContain(`process ${process.pid};`);
  await child.ended;
  await mine.release();

  const other = startChild('own', [folder.path]);
  await other.said(/^owned$/);
  expect(await refusal()).toContain(`process ${other.process.pid};`);
  other.process.stdin?.end();
  await other.ended;
  await (await owned()).release();
}, 30_000);

it('is free as soon as its owner was killed', async () => {
  const child = startChild('own', [folder.path]);
  await child.said(/^owned$/);
  await child.kill();
  await (await owned()).release();
}, 30_000);

it('says why when the folder can’t be used at all', async () => {
  const message = await refusal('/dev/null/data');
  expect(message).toContain('/dev/null/data');
  expect(message).toContain("can't be used");
});
