import { Command } from 'commander';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { reproduceCommand } from '../lib/command.ts';

const runCommand = async (...args: string[]): Promise<string> => {
  let output = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    output += chunk;
    return true;
  });
  const command = reproduceCommand(new Command('reproduce'))
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  await command.parseAsync(args, { from: 'user' });
  return output;
};

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

describe('muster reproduce', () => {
  test('prints a table with a verdict for each figure and one for the paper', async () => {
    const output = await runCommand('xu', '--players', '20000');
    expect(output).toContain('Mean wait in a game of any k players (1)');
    expect(output).toMatch(/two queues, λ1 = 0\.5.* 11\.75 .*corrected/);
    expect(output).toContain('verdict: holds');
    expect(process.exitCode).toBeUndefined();
  });

  test('prints the same as JSON and nothing else', async () => {
    const result = JSON.parse(await runCommand('wu', '--players', '20000', '--json'));
    expect(result).toMatchObject({ paper: 'wu', players: 20_000, verdict: 'holds' });
    expect(result.sections[0].findings[0]).toMatchObject({ paper: 1, verdict: 'holds' });
  });

  test.each([
    [['nash']],
    [['wu', '--players', '5']],
    [['wu', '--seed', '1.5']],
    [['wu', '--queue', 'a.json', '--arrivals', 'b.json']],
    [['bounds', '--arrivals', 'b.json']],
    [[]],
  ])('rejects %j', async (args) => {
    await expect(runCommand(...args)).rejects.toThrow();
  });

  test('rejects plots of the bounds, which have none, before it measures them', async () => {
    await expect(runCommand('bounds', '--plots', 'plots')).rejects.toThrow(
      '--plots: Expected it with a paper; bounds has no plots',
    );
  });
});
