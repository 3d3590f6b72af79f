import { describe, expect, it } from 'vitest';
import { releaseNotes } from '../../lib/package/release-notes.ts';

const CHANGELOG = `# Changelog

## [0.3.0] - unreleased

- Later.

## [0.2.0] - 2026-12-01

### Changed

- One thing.

## [0.1.0]

- The first.
`;

describe('the notes of a release', () => {
  it('are the section of its version in the changelog', () => {
    expect(releaseNotes('v0.2.0', '0.2.0', CHANGELOG)).toBe('### Changed\n\n- One thing.\n');
  });

  it.each([
    ['v0.2.1', '0.2.0', 'Expected the tag v0.2.0, the version in package.json, got v0.2.1'],
    ['0.2.0', '0.2.0', 'Expected the tag v0.2.0, the version in package.json, got 0.2.0'],
    ['', '0.2.0', 'Expected the tag v0.2.0, the version in package.json, got nothing'],
    [
      'v0.3.0',
      '0.3.0',
      'Expected a heading "## [0.3.0] - " with a date in CHANGELOG.md, got [0.3.0] - unreleased',
    ],
    ['v0.4.0', '0.4.0', 'Expected a heading "## [0.4.0] - " with a date in CHANGELOG.md, got none'],
  ])('are refused for the tag %j of version %s', (tag, version, message) => {
    expect(() => releaseNotes(tag, version, CHANGELOG)).toThrow(message);
  });
});
