import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, CloudFormationValidatePlugin } from 'aws-cdk-lib/core';
import { describe, expect, it } from 'vitest';
import { IS_LONG, sample } from '../long.ts';
import { builtApp } from './built-app.ts';
import { OPTION_NAMES, templateWith } from './option-matrix.ts';
import { temporaryFolder } from './synthesized.ts';

/** AWS's own check of templates, offline: it knows CloudFormation's schema of every resource type. */
const validator = new CloudFormationValidatePlugin();

/** What CloudFormation would reject in a template, or what its validator warns of: values that it does not know are warnings. */
function faultsOf(template: object): string[] {
  const templatePath = join(temporaryFolder(), 'template.json');
  writeFileSync(templatePath, JSON.stringify(template));
  const stack = { stackConstructPath: 'Muster', templatePath, accountId: undefined, region: undefined };
  const { violations } = validator.validate({
    templatePaths: [templatePath],
    stackTemplates: [stack],
    appConstruct: new App({ outdir: temporaryFolder() }),
  });
  return violations.map(({ description, violatingResources }) => {
    const ids = violatingResources.map(({ resourceLogicalId }) => resourceLogicalId);
    return `${ids}: ${description}`;
  });
}

describe('CloudFormation would accept', () => {
  it.each(
    sample(
      [
        ['dev', OPTION_NAMES],
        ['prod', []],
      ] as const,
      [
        ['dev', OPTION_NAMES],
        ['prod', OPTION_NAMES],
        ['dev', []],
        ['prod', []],
      ] as const,
    ),
  )('the template of %s with the options %j', (stage, names) => {
    expect(faultsOf(templateWith(stage, names, temporaryFolder))).toEqual([]);
  });

  it('the template without push', () => {
    expect(faultsOf(builtApp().template)).toEqual([]);
  });

  // Every option is in a template above. Alone, none may need what only another one makes.
  it.runIf(IS_LONG).each(OPTION_NAMES)('the template with the option %s alone', (name) => {
    expect(faultsOf(templateWith('dev', [name], temporaryFolder))).toEqual([]);
  });
});

/** A small template, which each test changes. */
const role = {
  Type: 'AWS::IAM::Role',
  Properties: { AssumeRolePolicyDocument: { Statement: [] as object[] } },
};
const fn = {
  Type: 'AWS::Lambda::Function',
  Properties: {
    Code: { ZipFile: 'export const handler = () => {};' },
    Handler: 'index.handler',
    Runtime: 'nodejs24.x',
    Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
    Timeout: 10,
  },
};
const withFunction = (changes: object) => ({
  Resources: { Role: role, Function: { ...fn, Properties: { ...fn.Properties, ...changes } } },
});

describe('CloudFormation would reject', () => {
  it('nothing of a small valid template', () => {
    expect(faultsOf(withFunction({}))).toEqual([]);
  });

  it.each([
    ['an unknown property deep inside', { Environment: { Variable: {} } }, /Variable/],
    ['a missing property', { Role: undefined }, /Role/],
    ['a text for a number', { Timeout: 'ten' }, /Timeout/],
    ['a number above the maximum', { Timeout: 1_000 }, /Timeout/],
    ['a value that is not allowed', { PackageType: 'Tar' }, /PackageType/],
    ['an attribute that its type does not have', { Role: { 'Fn::GetAtt': ['Role', 'ARN'] } }, /ARN/],
    ['a reference to a missing resource', { Role: { Ref: 'Rule' } }, /Rule/],
  ])('%s', (_what, changes, fault) => {
    expect(faultsOf(withFunction(changes)).join('\n')).toMatch(fault);
  });
});
