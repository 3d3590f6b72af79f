import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const workflows = globSync('.github/workflows/*.yml', { cwd: root })
  .sort()
  .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));

interface Use {
  readonly file: string;
  readonly action: string;
  readonly ref: string;
  /** What follows on the line. */
  readonly comment: string;
}

const uses = workflows.flatMap(({ file, text }) =>
  [...text.matchAll(/^\s*(?:- )?uses: (\S+)@(\S+)(.*)$/gm)].map(
    ([, action, ref, comment]): Use => ({ file, action: action!, ref: ref!, comment: comment!.trim() }),
  ),
);

describe('the workflows', () => {
  it('pin every action to a commit and name its version', () => {
    expect(uses.length).toBeGreaterThan(10);
    const loose = uses.filter(
      ({ ref, comment }) => !/^[0-9a-f]{40}$/.test(ref) || !/^# v\d+\.\d+\.\d+$/.test(comment),
    );
    expect(loose).toEqual([]);
  });

  it('use one version of each action', () => {
    // The actions of one repository have one commit.
    const repositoryOf = ({ action }: Use) => action.split('/').slice(0, 2).join('/');
    const versions = Map.groupBy(uses, repositoryOf);
    for (const [repository, of] of versions) {
      expect({ repository, refs: new Set(of.map(({ ref, comment }) => `${ref} ${comment}`)).size }).toEqual({
        repository,
        refs: 1,
      });
    }
  });

  it('may only read unless a job asks for more', () => {
    for (const { file, text } of workflows) {
      const permissions = /^permissions:\n((?: {2}.*\n)+)/m.exec(text)?.[1];
      expect({ file, permissions }).toEqual({ file, permissions: '  contents: read\n' });
    }
  });

  it('run no code of the checkout or of a dependency in a job that may sign', () => {
    const jobs = workflows.flatMap(({ text }) =>
      text.slice(text.indexOf('\njobs:\n')).split(/\n(?= {2}[\w-]+:\n)/),
    );
    const signing = jobs.filter(
      (job) => job.includes('id-token: write') && !job.includes('uses: ossf/scorecard-action'),
    );
    expect(signing.map((job) => /^ {2}([\w-]+):/.exec(job)?.[1])).toEqual(['attest', 'publish']);
    for (const job of signing) expect(job).not.toMatch(/actions\/checkout|\bnpx\b|npm (ci|test|run|pack)/);
  });

  it('put no text of an event into a shell', () => {
    const steps = workflows.flatMap(({ text }) => [...text.matchAll(/^\s*(?:- )?run: .*(?:\n\s{10,}.*)*/gm)]);
    expect(steps.length).toBeGreaterThan(5);
    expect(steps.map(([step]) => step).filter((step) => step.includes('${{'))).toEqual([]);
  });
});
