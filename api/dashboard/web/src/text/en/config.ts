// Words of moving in from another tracker, and of the configuration as a document.
import { counted } from '../words.ts'

const some = counted('en')
const names: Record<string, string> = {
  create: 'new',
  change: 'changed',
  same: 'the same',
  delete: 'deleted',
  archive: 'archived',
  refused: 'refused',
}

export const words = {
  bringIn: 'Bring in another tracker',
  bringInText:
    'Reads campaigns, offers, landing pages, sources, networks and domains of the other tracker. Nothing changes there, and nothing here before you apply the plan.',
  readOnly: 'Your access is read-only',
  tracker: 'Tracker',
  url: 'URL of the tracker',
  urlHint: 'As in your browser, without a path.',
  accessID: 'Access id',
  key: 'API key',
  keyHint: {
    keitaro: 'Keitaro: your profile, API keys. It is used for this import and then deleted.',
    binom: 'Binom: Settings, Users, API key. It is used for this import and then deleted.',
    voluum: 'Voluum: Settings, Security, Access keys. It is used for this import and then deleted.',
    redtrack: 'RedTrack: Profile, Integrations, API key. It is used for this import and then deleted.',
  } as Record<string, string>,
  dump: 'Or a dump of the database',
  dumpHint: 'The output of mysqldump, plain or gzip, at most 24 MB. Tables of clicks are not read.',
  dumpTooLarge: 'The dump has more than 24 MB. Leave out the tables of clicks and conversions.',
  read: 'Read the tracker',
  reading: 'Reading another tracker',
  switchTitle: 'Then switch',
  switchSteps: [
    'Apply the plan. Paths that lost a filter are paused: look at them first.',
    'Simulate some visitors in each campaign, and compare with the other tracker.',
    'Verify your domains here, then point their CNAME to this service. Links in ads and postback URLs at networks stay as they are.',
    'Postbacks for clicks of the other tracker are sent on to it, if its URL is set.',
  ],
  document: 'Everything as one document',
  documentText:
    'Networks, sources, landing pages, offers, sites with goals, rules, flows, campaigns, smartlinks, domains and bot lists, without secrets. Keep it in a repository, or use it in another account.',
  download: 'Download YAML',
  downloadJSON: 'JSON',
  upload: 'Apply a document',
  uploadText: 'First you see what it would change. Records that the document does not have stay.',
  file: 'File',
  text: 'Text of the document',
  tooLarge: 'A document may have at most 32 MB.',
  prune: 'Records that the document does not have',
  pruneNone: 'stay',
  pruneGroup: 'of a group are deleted',
  pruneTag: 'with a tag are deleted',
  pruneName: 'Name',
  pruneHint: 'Campaigns with clicks are archived instead.',
  check: 'Show what changes',
  planning: 'Plan of a document',
  planned: 'The plan is ready',
  plan: 'Plan',
  plans: 'Plans',
  plansText: 'The newest 50',
  noPlans: 'No plans yet',
  look: 'Open',
  origins: { document: 'Document', keitaro: 'Keitaro', binom: 'Binom', voluum: 'Voluum', redtrack: 'RedTrack', csv: 'CSV' } as Record<
    string,
    string
  >,
  states: {
    making: 'Is being made',
    refused: 'Refused',
    planned: 'Not applied',
    applying: 'Is being applied',
    applied: 'Applied',
    stopped: 'Stopped',
    undoing: 'Is being undone',
    undone: 'Undone',
  } as Record<string, string>,
  counts: (by: Record<string, number>) =>
    Object.keys(names)
      .filter(op => by[op])
      .map(op => `${by[op]} ${names[op]}`)
      .join(', ') || 'No records',
  done: (n: string, of: string) => `${n} of ${of} records`,
  wrote: (n: number, shown: string) => `${some(n, 'record', 'records', shown)} written`,
  apply: 'Apply the plan',
  applyN: (n: string) => `Apply ${n}`,
  undo: 'Undo the plan',
  askText: {
    apply: 'The records are written one after the other. You can undo the plan as a whole.',
    undo: 'Everything becomes what it was before the plan. Records that have changed since stay.',
  },
  skip: (n: number, shown: string) => `Apply without the ${some(n, 'refused record', 'refused records', shown)}`,
  kept: 'These records have changed since, and stay:',
  nothing: 'The document has no records.',
  ops: 'Records',
  opNames: { create: 'New', change: 'Changed', same: 'Same', delete: 'Deleted', archive: 'Archived', refused: 'Refused' } as Record<
    string,
    string
  >,
  kinds: {
    domains: 'Domain',
    networks: 'Network',
    sources: 'Source',
    landers: 'Landing page',
    offers: 'Offer',
    sites: 'Site',
    rules: 'Rule',
    campaigns: 'Campaign',
    flows: 'Saved flow',
    smartlinks: 'Smartlink',
    bot_lists: 'Bot list',
  } as Record<string, string>,
  written: 'written',
  byDefault: 'default',
  more: 'More',
}
