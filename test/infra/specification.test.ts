import { describe, expect, it } from 'vitest';
import { IS_LONG } from '../long.ts';
import { builtApp } from './built-app.ts';
import { OPTION_NAMES, templateWith } from './option-matrix.ts';
import { faultsOf } from './specification.ts';
import { temporaryFolder } from './synthesized.ts';

describe('the check by the CloudFormation specification finds no fault', () => {
  it('in the template that is deployed', () => {
    expect(faultsOf(builtApp().template)).toEqual([]);
  });

  it.each(['dev', 'prod'] as const)('in %s without options', (stage) => {
    expect(faultsOf(templateWith(stage, [], temporaryFolder))).toEqual([]);
  });

  it.each(['dev', 'prod'] as const)('in %s with every option', (stage) => {
    expect(faultsOf(templateWith(stage, OPTION_NAMES, temporaryFolder))).toEqual([]);
  });

  // Every option is in the templates above. Alone, none may need what only another one makes.
  it.runIf(IS_LONG).each(OPTION_NAMES)('with the option %s alone', (name) => {
    expect(faultsOf(templateWith('dev', [name], temporaryFolder))).toEqual([]);
  });
});

/** A small valid template, which each test changes. */
function sample(): Record<string, Properties> {
  return {
    Table: {
      Type: 'AWS::DynamoDB::GlobalTable',
      Properties: {
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
        StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
        Replicas: [{ Region: { Ref: 'AWS::Region' }, Tags: [{ Key: 'team', Value: 'core' }] }],
      },
    },
    Role: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: { Version: '2012-10-17' } } },
    Function: {
      Type: 'AWS::Lambda::Function',
      DependsOn: ['Role'],
      Properties: {
        Code: { ZipFile: { 'Fn::Join': ['\n', ['a', 'b']] } },
        Role: { 'Fn::GetAtt': ['Role', 'Arn'] },
        Timeout: 10,
        Architectures: ['arm64'],
        Environment: { Variables: { TABLE: { Ref: 'Table' } } },
      },
    },
    Source: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own placeholders
        FunctionName: { 'Fn::Sub': '${Function}' },
        EventSourceArn: { 'Fn::GetAtt': ['Table', 'StreamArn'] },
        BisectBatchOnFunctionError: true,
      },
    },
    Queues: {
      Type: 'Custom::Queues',
      Properties: { ServiceToken: { 'Fn::GetAtt': ['Function', 'Arn'] }, definitions: { any: ['thing'] } },
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: tests insert invalid values
type Properties = Record<string, any>;

type Plant = (resources: Record<string, Properties>) => void;

const of = (name: string, plant: (properties: Properties) => void): Plant => {
  return (all) => plant(all[name]!.Properties);
};

describe('the check itself', () => {
  const conditions = { Large: { 'Fn::Equals': ['a', 'a'] } };
  const faults = (plant: Plant) => {
    const Resources = sample();
    plant(Resources);
    return faultsOf({ Resources, Conditions: conditions });
  };

  it('finds no fault in a valid template', () => {
    expect(faults(() => {})).toEqual([]);
  });

  const FN = 'Function (AWS::Lambda::Function)';
  const TABLE = 'Table (AWS::DynamoDB::GlobalTable)';
  const SOURCE = 'Source (AWS::Lambda::EventSourceMapping)';

  it.each<[what: string, plant: Plant, faults: string[]]>([
    [
      'an unknown resource type',
      (all) => {
        all.Table!.Type = 'AWS::DynamoDB::Tabel';
      },
      ['Table (AWS::DynamoDB::Tabel) is not a resource type of CloudFormation'],
    ],
    [
      'an unknown key of a resource',
      (all) => {
        all.Role!.Property = {};
      },
      ['Role (AWS::IAM::Role) has no key Property'],
    ],
    [
      'an unknown deletion policy',
      (all) => {
        all.Table!.DeletionPolicy = 'Keep';
      },
      [`${TABLE} has no DeletionPolicy Keep`],
    ],
    [
      'an unknown property',
      of('Function', (properties) => {
        properties.TimeOut = 10;
      }),
      [`${FN}.TimeOut is not a property of its type`],
    ],
    [
      'an unknown property deep inside',
      of('Table', ({ Replicas }) => {
        Replicas[0].PointInTimeRecoverySpecification = { PointInTimeRecoveryOn: true };
      }),
      [
        `${TABLE}.Replicas[0].PointInTimeRecoverySpecification.PointInTimeRecoveryOn is not a property of its type`,
      ],
    ],
    [
      'a missing property',
      of('Function', (properties) => {
        delete properties.Role;
      }),
      [`${FN} misses Role`],
    ],
    [
      'a missing property deep inside',
      of('Table', ({ KeySchema }) => {
        delete KeySchema[0].KeyType;
      }),
      [`${TABLE}.KeySchema[0] misses KeyType`],
    ],
    [
      'a required property without value',
      of('Function', (properties) => {
        properties.Role = { Ref: 'AWS::NoValue' };
      }),
      [`${FN} misses Role`],
    ],
    [
      'a required property without value in one branch',
      of('Function', (properties) => {
        properties.Role = { 'Fn::If': ['Large', { 'Fn::GetAtt': ['Role', 'Arn'] }, { Ref: 'AWS::NoValue' }] };
      }),
      [`${FN} misses Role`],
    ],
    [
      'a custom resource without function',
      of('Queues', (properties) => {
        delete properties.ServiceToken;
      }),
      ['Queues (Custom::Queues) misses ServiceToken'],
    ],
    [
      'a string for a number',
      of('Function', (properties) => {
        properties.Timeout = '10';
      }),
      [`${FN}.Timeout needs an integer, gets "10"`],
    ],
    [
      'a fraction for an integer',
      of('Function', (properties) => {
        properties.Timeout = 2.5;
      }),
      [`${FN}.Timeout needs an integer, gets 2.5`],
    ],
    [
      'a string for a boolean',
      of('Source', (properties) => {
        properties.BisectBatchOnFunctionError = 'true';
      }),
      [`${SOURCE}.BisectBatchOnFunctionError needs a boolean, gets "true"`],
    ],
    [
      'a number for a string',
      of('Function', (properties) => {
        properties.Environment.Variables.LIMIT = 3;
      }),
      [`${FN}.Environment.Variables.LIMIT needs a string, gets 3`],
    ],
    [
      'a string for a list',
      of('Function', (properties) => {
        properties.Architectures = 'arm64';
      }),
      [`${FN}.Architectures needs a list of which each is a string, gets "arm64"`],
    ],
    [
      'a list for an object',
      of('Table', (properties) => {
        properties.StreamSpecification = ['NEW_IMAGE'];
      }),
      [`${TABLE}.StreamSpecification needs an object, gets ["NEW_IMAGE"]`],
    ],
    [
      'a number for a document',
      of('Role', (properties) => {
        properties.AssumeRolePolicyDocument = 7;
      }),
      ['Role (AWS::IAM::Role).AssumeRolePolicyDocument needs an object or a string, gets 7'],
    ],
    [
      'a value that is not allowed',
      of('Function', (properties) => {
        properties.PackageType = 'Tar';
      }),
      [`${FN}.PackageType needs one of Image, Zip, gets "Tar"`],
    ],
    [
      'a tag without value',
      of('Table', ({ Replicas }) => {
        Replicas[0].Tags = [{ Key: 'team' }];
      }),
      [`${TABLE}.Replicas[0].Tags[0] misses Value`],
    ],
    [
      'an ill-typed branch',
      of('Function', (properties) => {
        properties.Timeout = { 'Fn::If': ['Large', 20, 'ten'] };
      }),
      [`${FN}.Timeout needs an integer, gets "ten"`],
    ],
    [
      'a function that returns a list for a string',
      of('Function', (properties) => {
        properties.Handler = { 'Fn::Split': ['.', 'index.handler'] };
      }),
      [`${FN}.Handler needs a string, gets {"Fn::Split":[".","index.handler"]}`],
    ],
    [
      'a reference that returns a string for an object',
      of('Function', (properties) => {
        properties.Environment = { Ref: 'Table' };
      }),
      [`${FN}.Environment needs an object, gets {"Ref":"Table"}`],
    ],
    [
      'an attribute that its type does not have',
      of('Source', (properties) => {
        properties.EventSourceArn = { 'Fn::GetAtt': ['Table', 'StreamARN'] };
      }),
      [
        `${SOURCE}.EventSourceArn reads Table.StreamARN, which is not an attribute of AWS::DynamoDB::GlobalTable`,
      ],
    ],
    [
      'a reference to a missing resource',
      of('Function', (properties) => {
        properties.Environment.Variables.TABLE = { Ref: 'Tabel' };
      }),
      [`${FN}.Environment.Variables.TABLE refers to Tabel, which the template does not have`],
    ],
    [
      'a reference in a string to a missing resource',
      of('Source', (properties) => {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own placeholders
        properties.FunctionName = { 'Fn::Sub': '${!Literal} ${Functoin} ${Function.Name}' };
      }),
      [
        `${SOURCE}.FunctionName refers to Functoin, which the template does not have`,
        `${SOURCE}.FunctionName reads Function.Name, which is not an attribute of AWS::Lambda::Function`,
      ],
    ],
    [
      'a reference inside a document to a missing resource',
      of('Role', (properties) => {
        properties.AssumeRolePolicyDocument.Statement = [{ Resource: [{ Ref: 'Nobody' }] }];
      }),
      [
        'Role (AWS::IAM::Role).AssumeRolePolicyDocument.Statement[0].Resource[0] refers to Nobody, which the template does not have',
      ],
    ],
    [
      'a dependency on a missing resource',
      (all) => {
        all.Function!.DependsOn = ['Role', 'Policy'];
      },
      [`${FN} refers to Policy, which the template does not have`],
    ],
    [
      'a missing condition',
      (all) => {
        all.Function!.Condition = 'Small';
      },
      [`${FN} depends on the condition Small, which the template does not have`],
    ],
    [
      'an unknown intrinsic function',
      of('Function', (properties) => {
        properties.Handler = { 'Fn::Concat': ['a', 'b'] };
      }),
      [`${FN}.Handler uses Fn::Concat, which is not an intrinsic function`],
    ],
  ])('finds %s', (_what, plant, expected) => {
    expect(faults(plant)).toEqual(expected);
  });

  it.each<[what: string, plant: Plant]>([
    [
      'an optional property without value',
      of('Function', (properties) => {
        properties.Timeout = { Ref: 'AWS::NoValue' };
      }),
    ],
    [
      'a number that a function returns as a string',
      of('Function', (properties) => {
        properties.Timeout = { 'Fn::Select': [0, { 'Fn::Split': [',', '10,20'] }] };
      }),
    ],
    [
      'a list that a function returns',
      of('Function', (properties) => {
        properties.Layers = { 'Fn::Split': [',', 'a,b'] };
      }),
    ],
    [
      'two branches of the right type',
      of('Function', (properties) => {
        properties.Environment = {
          'Fn::If': ['Large', { Variables: { SIZE: 'large' } }, { Ref: 'AWS::NoValue' }],
        };
      }),
    ],
    [
      'a document as a string',
      of('Role', (properties) => {
        properties.AssumeRolePolicyDocument = '{"Version":"2012-10-17"}';
      }),
    ],
    [
      'a string with its own variables',
      of('Source', (properties) => {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own placeholders
        properties.FunctionName = { 'Fn::Sub': ['${fn}:${AWS::Region}', { fn: { Ref: 'Function' } }] };
      }),
    ],
  ])('accepts %s', (_what, plant) => {
    expect(faults(plant)).toEqual([]);
  });

  it('finds an output that refers to a missing resource', () => {
    const template = { Resources: sample(), Outputs: { Name: { Value: { Ref: 'Nobody' } } } };
    expect(faultsOf(template)).toEqual([
      'Outputs.Name.Value refers to Nobody, which the template does not have',
    ]);
  });
});
